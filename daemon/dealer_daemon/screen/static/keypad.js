// A result keyed in twice. The first entry is taken away before the second is made, so that nobody copies it; both go
// to the station as they were made, and the station compares them.

import { ask, table, words } from "./live.js";
import { el, put } from "./draw.js";

let pad = null;
let entries = [];
let current = [];
let id = "";

function begin() {
  entries = [];
  current = [];
  id = crypto.randomUUID();
}

/** Shows the keypad of the view, or none. `say(answer)` tells what became of an entry. */
export function keypad(wanted, say) {
  const node = document.getElementById("keypad");
  document.getElementById("felt").hidden = wanted !== null;
  node.hidden = wanted === null;
  if (wanted === null) {
    pad = null;
    return node.replaceChildren();
  }
  if (pad && pad.round === wanted.round && pad.field === wanted.field) return null; // what is keyed in stays
  pad = wanted;
  begin();
  return draw(say);
}

async function press(choice, say) {
  current.push(choice);
  if (current.length === pad.count) {
    entries.push(current);
    current = [];
  }
  if (entries.length === 2) {
    const [first, second] = entries;
    const body = { id, round: pad.round, first, second };
    begin();
    draw(say);
    return say(await ask(`/tables/${encodeURIComponent(table)}/entry`, body));
  }
  return draw(say);
}

function draw(say) {
  const keys = pad.choices.map((choice) => {
    const key = el("button", { type: "button", "data-key": choice }, choice);
    key.addEventListener("click", () => press(choice, say));
    return key;
  });
  const undo = el("button", { type: "button", class: "undo" }, words(pad.undo));
  undo.addEventListener("click", () => {
    begin();
    draw(say);
  });
  const side = el(
    "div",
    {},
    el("h2", {}, words(pad.title)),
    el("p", { class: "step" }, words(entries.length ? pad.again : pad.once)),
    el("p", { class: "shown" }, current.join(" ") || "–"),
    undo,
  );
  return put("keypad", side, el("div", { class: pad.choices.length > 12 ? "keys" : "keys few" }, ...keys));
}
