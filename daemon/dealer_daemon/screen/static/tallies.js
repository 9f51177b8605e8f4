// The last results of a table and how often each value came, as the board says them.

import { words } from "./live.js";
import { die, el, face, svg } from "./draw.js";

const BARS = 8;

function named(view, value) {
  return value in view.values ? words(view.values[value]) : value;
}

function result(view, one) {
  const colour = one.colour || "";
  const value = one.value === null ? null : el("b", { class: `value ${colour} ${one.value}` }, named(view, one.value));
  const dice = one.dice.length ? el("span", { class: "dice" }, ...one.dice.map(die)) : null;
  const cards = one.cards.length ? el("span", { class: "cards" }, ...one.cards.map(face)) : null;
  const node = el("li", { "data-sequence": one.sequence });
  node.append(...[value, dice, cards].filter(Boolean));
  return node;
}

/** The newest first. */
export function results(view) {
  const plain = view.board.results.every((one) => !one.dice.length && !one.cards.length);
  const list = el("ol", { class: plain ? "results plain" : "results" }, ...view.board.results.map((one) => result(view, one)));
  return el("section", { class: "last" }, el("h2", {}, words(view.labels.last_results)), list);
}

function chips(view, tally, kind) {
  const counts = Object.fromEntries(tally.shares.map((share) => [share.value, share.count]));
  const values = tally[kind].map((value) => el("span", { class: "chip" }, el("b", {}, named(view, value)), ` ×${counts[value]}`));
  return el("p", { class: kind }, el("em", {}, words(view.labels[kind])), ...values);
}

function bar(view, share, most) {
  const width = most ? (100 * share.count) / most : 0;
  const picture = svg(
    "svg",
    { viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
    svg("rect", { width: 100, height: 10, fill: "#222a32" }),
    svg("rect", { width, height: 10, fill: "#5aa9ff" }),
  );
  return el("p", { class: "bar", "data-value": share.value }, el("span", {}, named(view, share.value)), picture, el("b", {}, String(share.count)));
}

function panel(view, tally, texts) {
  const most = Math.max(0, ...tally.shares.map((share) => share.count));
  const bars = tally.shares.length <= BARS ? tally.shares.map((share) => bar(view, share, most)) : [];
  const heat = tally.hot.length || tally.cold.length ? [chips(view, tally, "hot"), chips(view, tally, "cold")] : [];
  return el(
    "section",
    { class: bars.length ? "tally" : "tally wide", "data-of": tally.of },
    el("h2", {}, words(texts.title), el("small", {}, words(texts.sample))),
    ...heat,
    ...bars,
  );
}

export function tallies(view) {
  return el("div", { class: "tallies" }, ...view.board.tallies.map((tally, at) => panel(view, tally, view.tallies[at])));
}
