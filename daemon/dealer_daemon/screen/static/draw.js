// Elements and pictures: cards, dice and beans as shapes. Nothing here knows a game.

const SVG = "http://www.w3.org/2000/svg";
const SUITS = {
  S: "M50 8C36 30 12 40 12 60a19 19 0 0 0 33 13c-1 9-5 14-12 19h34c-7-5-11-10-12-19a19 19 0 0 0 33-13C88 40 64 30 50 8z",
  H: "M50 92C20 66 8 50 8 33a21 21 0 0 1 42-5 21 21 0 0 1 42 5c0 17-12 33-42 59z",
  D: "M50 5 86 50 50 95 14 50z",
  C: "M50 8a20 20 0 0 1 16 32 20 20 0 1 1-11 33c1 8 5 14 12 19H33c7-5 11-11 12-19a20 20 0 1 1-11-33A20 20 0 0 1 50 8z",
};
const RED = "#c4161c";
const BLACK = "#111418";
const PIPS = { 1: [4], 2: [0, 8], 3: [0, 4, 8], 4: [0, 2, 6, 8], 5: [0, 2, 4, 6, 8], 6: [0, 2, 3, 5, 6, 8] };

/** An element with attributes, and children that are elements or texts. */
export function el(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/** The same, of a picture. */
export function svg(name, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

function fill(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

/** Puts `children` in the place of what was there. */
export function put(id, ...children) {
  const node = document.getElementById(id);
  node.replaceChildren(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

/** A card's face, "8S". */
export function face(card) {
  const rank = card[0] === "T" ? "10" : card[0];
  const colour = card[1] === "H" || card[1] === "D" ? RED : BLACK;
  const label = { x: rank === "10" ? 30 : 27, y: 44, fill: colour, "font-size": rank === "10" ? 36 : 46, "font-weight": 800, "text-anchor": "middle" };
  return svg(
    "svg",
    { viewBox: "0 0 100 140", role: "img", "aria-label": card },
    svg("rect", { x: 1, y: 1, width: 98, height: 138, rx: 9, fill: "#fff" }),
    svg("text", label, rank),
    svg("path", { d: SUITS[card[1]], fill: colour, transform: "translate(13 52) scale(0.27)" }),
    svg("path", { d: SUITS[card[1]], fill: colour, transform: "translate(29 66) scale(0.64)" }),
  );
}

/** A card that nobody may know. */
export function back() {
  const lines = [];
  for (let n = -120; n < 120; n += 16) {
    lines.push(svg("path", { d: `M${n} 140 ${n + 140} 0M${n} 0 ${n + 140} 140`, stroke: "#3f6ea8", "stroke-width": 3 }));
  }
  return svg(
    "svg",
    { viewBox: "0 0 100 140", role: "img", "aria-label": "?" },
    svg("rect", { x: 1, y: 1, width: 98, height: 138, rx: 9, fill: "#dfe7f0" }),
    svg("svg", { x: 8, y: 8, width: 84, height: 124, viewBox: "8 8 84 124" }, svg("rect", { width: 100, height: 140, fill: "#1d4272" }), ...lines),
  );
}

/** A die. */
export function die(value) {
  const red = value === 1 || value === 4;
  const pips = PIPS[value].map((at) =>
    svg("circle", { cx: 25 + 25 * (at % 3), cy: 25 + 25 * Math.floor(at / 3), r: value === 1 ? 15 : 9.5, fill: red ? RED : BLACK }),
  );
  return svg(
    "svg",
    { viewBox: "0 0 100 100", class: "die", role: "img", "aria-label": String(value) },
    svg("rect", { x: 2, y: 2, width: 96, height: 96, rx: 17, fill: "#fdfdfb" }),
    ...pips,
  );
}

/** A bean. */
export function bean() {
  return svg(
    "svg",
    { viewBox: "0 0 100 100", class: "bean", "aria-hidden": "true" },
    svg("circle", { cx: 50, cy: 50, r: 44, fill: "#f7f3e6", stroke: "#b9a878", "stroke-width": 6 }),
  );
}
