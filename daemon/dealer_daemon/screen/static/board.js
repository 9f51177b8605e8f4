// The scoreboard: draws each cell where the board says that it is. It computes no road and counts nothing.
// `?beads=total` writes totals on the bead plate instead of who won.

import { follow, table, words } from "./live.js";
import { el, put, svg } from "./draw.js";
import { results, tallies } from "./tallies.js";

const INK = { banker: "#cf1b1b", player: "#1450c8", tie: "#0a8a3c", R: "#cf1b1b", B: "#1450c8" };
const NATURAL = "#ffe23d";
const ROWS = 6;
const COLUMNS = { bead_plate: 15, big_road: 39, derived: 22 };
const TOTALS = new URLSearchParams(location.search).get("beads") === "total";

function disc(attributes) {
  return svg("circle", { cx: 0.5, cy: 0.5, ...attributes });
}

function sign(text, attributes) {
  return svg("text", { x: 0.5, y: 0.5, dy: "0.36em", "text-anchor": "middle", ...attributes }, text);
}

function slash(ink, width) {
  return svg("line", { x1: 0.2, y1: 0.8, x2: 0.8, y2: 0.2, stroke: ink, "stroke-width": width, "stroke-linecap": "round" });
}

function pairs(one, r) {
  const edge = { r, stroke: "#fff", "stroke-width": 0.03 };
  return [
    one.banker_pair ? svg("circle", { cx: 0.17, cy: 0.17, fill: INK.banker, class: "banker-pair", ...edge }) : null,
    one.player_pair ? svg("circle", { cx: 0.83, cy: 0.83, fill: INK.player, class: "player-pair", ...edge }) : null,
  ];
}

function bead(one, labels) {
  const text = TOTALS ? String(one.total) : words(labels[`bead_of_${one.winner}`]);
  const ink = { fill: one.natural ? NATURAL : "#fff", "font-size": 0.56, "font-weight": 700 };
  return [disc({ r: 0.43, fill: INK[one.winner] }), sign(text, ink), ...pairs(one, 0.13)];
}

function ring(one) {
  const ties = one.ties + one.ties_before;
  const number = { fill: INK.tie, "font-size": 0.66, "font-weight": 800 };
  return [
    one.winner ? disc({ r: 0.39, fill: "none", stroke: INK[one.winner], "stroke-width": 0.15 }) : null,
    ties === 1 ? slash(INK.tie, 0.13) : null,
    ties > 1 ? sign(String(ties), number) : null,
    ...pairs(one, 0.14),
  ];
}

const MARKS = {
  big_eye: (ink) => disc({ r: 0.34, fill: "none", stroke: ink, "stroke-width": 0.17 }),
  small: (ink) => disc({ r: 0.4, fill: ink }),
  cockroach: (ink) => slash(ink, 0.18),
};

/** A road's newest columns, as many as there is room for. */
function road(name, title, cells, columns, paint) {
  const last = cells.reduce((most, one) => Math.max(most, one.col), 0);
  const first = Math.max(0, last + 1 - columns);
  const lines = [];
  for (let n = 0; n <= columns; n += 1) lines.push(`M${n} 0V${ROWS}`);
  for (let n = 0; n <= ROWS; n += 1) lines.push(`M0 ${n}H${columns}`);
  const shown = cells.filter((one) => one.col >= first);
  const drawn = shown.map((one) => {
    const place = { transform: `translate(${one.col - first} ${one.row})`, class: "cell" };
    return svg("g", place, ...paint(one));
  });
  const picture = svg(
    "svg",
    { viewBox: `-0.03 -0.03 ${columns + 0.06} ${ROWS + 0.06}`, role: "img", "aria-label": words(title) },
    svg("rect", { width: columns, height: ROWS, fill: "#fcfcf8" }),
    svg("path", { d: lines.join(""), stroke: "#cdd2d6", "stroke-width": 0.04, fill: "none" }),
    ...drawn,
  );
  return el("section", { class: `road ${name}` }, el("h2", {}, words(title)), picture);
}

function asked(side, ask, labels) {
  const marks = Object.keys(MARKS).map((name) => {
    const mark = ask[side][name];
    return svg("svg", { viewBox: "0 0 1 1", class: "mark" }, mark ? MARKS[name](INK[mark]) : null);
  });
  return el("div", { class: `ask ${side}`, "data-ask": side }, el("span", {}, words(labels[`ask_${side}`])), ...marks);
}

function counts(roads, labels) {
  const rows = ["banker", "player", "tie", "banker_pair", "player_pair", "natural", "hands"].map((name) =>
    el("p", { class: name, "data-count": name }, el("span", {}, words(labels[name])), el("b", {}, String(roads.counts[name]))),
  );
  return el("section", { class: "counts" }, ...rows);
}

function side(view, roads) {
  const good = view.good_roads.map((name) => el("li", {}, words(name)));
  return el(
    "section",
    { class: "asks" },
    asked("banker", roads.ask, view.labels),
    asked("player", roads.ask, view.labels),
    el("h2", {}, words(view.labels.good_roads)),
    el("ul", { id: "good-roads" }, ...(good.length ? good : [el("li", { class: "none" }, "–")])),
  );
}

function roadsOf(view) {
  const { roads } = view.board;
  const derived = Object.keys(MARKS).map((name) =>
    road(name, view.labels[name], roads.derived[name], COLUMNS.derived, (one) => [MARKS[name](INK[one.mark])]),
  );
  return [
    el(
      "div",
      { class: "top" },
      road("bead_plate", view.labels.bead_plate, roads.bead_plate, COLUMNS.bead_plate, (one) => bead(one, view.labels)),
      counts(roads, view.labels),
      side(view, roads),
    ),
    road("big_road", view.labels.big_road, roads.big_road, COLUMNS.big_road, ring),
    el("div", { class: "three" }, ...derived),
  ];
}

follow((view) => {
  put("game", words(view.game));
  put("names", ...view.names.map((name) => el("span", {}, words(name))));
  put("note", words(view.note)).hidden = !view.note;
  const node = put("board", ...(view.board.roads ? roadsOf(view) : [results(view), tallies(view)]));
  node.dataset.sequence = view.board.sequence;
}, `/tables/${encodeURIComponent(table)}/board/feed`);
