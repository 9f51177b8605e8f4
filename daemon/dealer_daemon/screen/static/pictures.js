// Evidence as pictures: small ones that can be looked at large.

import { el, put } from "./draw.js";

let shown = "";
let listed = [];
let look = null;

function enlarge(source, label, close) {
  const dialog = document.getElementById("picture");
  const button = el("button", { type: "button", autofocus: "" }, close);
  button.addEventListener("click", () => dialog.close());
  put("picture", el("img", { src: source, alt: label }), button);
  dialog.showModal();
}

/** Shows those of `seen` (a hash, and of which round it is) that are pictures, the newest first. `address` lists them. */
export async function pictures(seen, address, none, close) {
  const news = JSON.stringify(seen);
  if (news === shown) return;
  shown = news;
  const answer = await fetch(address, { cache: "no-store" }).catch(() => null);
  if (!answer || !answer.ok) return void (shown = "");
  listed = (await answer.json()).reverse();
  look = (piece) => {
    const source = `${address}/${piece.hash}`;
    const node = el("button", { type: "button", class: "thumb" }, el("img", { src: source, alt: "", loading: "lazy" }), piece.round);
    node.addEventListener("click", () => enlarge(source, piece.round, close));
    return node;
  };
  const nodes = listed.map(look);
  put("evidence", ...(nodes.length ? nodes : [el("p", { class: "quiet" }, none)]));
}

/** The small pictures of one round; none before the list of them has come. */
export function picturesOf(round) {
  return look === null ? [] : listed.filter((piece) => piece.round === round).map(look);
}
