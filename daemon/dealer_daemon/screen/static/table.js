// The dealer's page: lays out what the view holds. It computes nothing of the game.

import { ask, follow, heardAt, table, words } from "./live.js";
import { back, bean, die, el, face, put } from "./draw.js";
import { keypad } from "./keypad.js";
import { showWho, toSignIn } from "./session.js";

const ANSWER_MS = 6000;
const CARD_SIZES_REM = [10.5, 9.6, 8.8, 8, 7.2, 6.5, 5.8, 5.2, 4.6, 4, 3.4];
const SMALL_REM = 6;
let hideAnswer = 0;

function line(text, attributes = {}) {
  return el("p", attributes, words(text));
}

function slot(one) {
  const node = el("div", { class: `slot ${one.state}`, "data-position": one.position });
  if (one.state === "lies") node.append(face(one.card));
  if (one.state === "hidden") node.append(back());
  return node;
}

function hand(one) {
  const note = one.note ? el("span", { class: "note" }, words(one.note)) : null;
  const title = el("h2", {}, words(one.name), note);
  const slots = el("div", { class: "slots" }, ...one.slots.map(slot));
  return el("div", { class: one.won ? "hand won" : "hand", "data-hand": one.hand }, title, slots);
}

function hands(felt) {
  return el("div", { class: "hands" }, ...felt.hands.map(hand));
}

/** Cards as large as all of them have room for. */
function fit() {
  const felt = document.getElementById("felt");
  const cards = felt.querySelector(".hands");
  if (!cards) return;
  for (const size of CARD_SIZES_REM) {
    cards.style.setProperty("--card", `${size}rem`);
    cards.classList.toggle("small", size < SMALL_REM);
    if (felt.scrollHeight <= felt.clientHeight && felt.scrollWidth <= felt.clientWidth) return;
  }
}

function shown(felt) {
  switch (felt.type) {
    case "cards":
      return hands(felt);
    case "number":
      return el("div", { class: `tile ${felt.colour}` }, felt.number);
    case "dice":
      return el("div", { class: "row" }, ...felt.dice.map(die));
    case "segment":
      return el("div", { class: `tile words ${felt.colour}` }, words(felt.name));
    case "beans":
      return el("div", { class: "row" }, el("div", { class: "tile green" }, String(felt.remainder)), ...Array.from({ length: felt.remainder }, bean));
    default:
      return null;
  }
}

function showFelt(felt) {
  if (!felt) return put("felt");
  const notes = felt.notes && felt.notes.length ? el("div", { class: "notes" }, ...felt.notes.map((note) => el("span", {}, words(note)))) : null;
  const result = felt.result ? line(felt.result, { class: "result" }) : null;
  const heading = felt.settled ? line(felt.heading, { class: "heading" }) : null;
  put("felt", heading, result, shown(felt), notes);
}

function pips(tries) {
  const dots = Array.from({ length: Math.min(tries.most, 12) }, (_, n) => el("i", { class: n < tries.refused ? "used" : "" }));
  return el("div", { class: "tries" }, el("div", { class: "pips" }, ...dots), words(tries.text));
}

function showRefusal(refusal, tries) {
  const node = document.getElementById("refusal");
  node.hidden = !refusal;
  if (!refusal) return node.replaceChildren();
  const why = el("span", {}, words(refusal.figures || refusal.reason));
  const where = refusal.where ? el("span", { class: "where" }, words(refusal.where)) : null;
  put("refusal", line(refusal.remedy, { class: "remedy" }), el("p", { class: "why" }, why, where), tries && tries.refused ? pips(tries) : null);
}

function say(answer) {
  const node = document.getElementById("answer");
  node.textContent = answer ? words(answer.text) : "…";
  node.classList.toggle("refused", !answer || !answer.ok);
  node.hidden = false;
  clearTimeout(hideAnswer);
  hideAnswer = setTimeout(() => (node.hidden = true), ANSWER_MS);
}

function button(one) {
  const node = el("button", { type: "button", class: one.weight, "data-act": one.act }, words(one.text));
  node.addEventListener("click", async () => {
    node.disabled = true;
    const answer = await ask(`/tables/${encodeURIComponent(table)}/acts/${one.act}`, { id: crypto.randomUUID(), at: heardAt, about: one.about });
    say(answer);
    node.disabled = false;
    if (answer && answer.status === 401) toSignIn();
  });
  return node;
}

function show(view) {
  document.body.dataset.phase = view.phase;
  document.body.dataset.tone = view.due.tone;
  document.body.dataset.sequence = view.sequence;
  put("game", words(view.game));
  put("phase", words(view.phase_text));
  put("names", ...view.names.map((name) => el("span", {}, words(name))));
  put("due-text", words(view.due.text));
  put("due-more", words(view.due.more));
  put("alarms", ...view.alarms.map((alarm) => line(alarm.text, { class: alarm.severity, "data-code": alarm.code })));
  const tries = view.tries && view.tries.refused && !view.refusal ? line(view.tries.text, { class: "warning", "data-code": "tries" }) : null;
  put("marks", tries, ...view.marks.map((mark) => line(mark.text, { class: mark.severity, "data-code": mark.code })));
  showRefusal(view.refusal, view.tries);
  showFelt(view.felt);
  keypad(view.keypad, say);
  put("buttons", ...view.buttons.map(button));
  document.body.classList.toggle("bare", !view.felt && !view.keypad);
  document.body.classList.toggle("refused", view.refusal !== null);
  fit();
}

function clock() {
  put("clock", new Date().toTimeString().slice(0, 8));
}

clock();
setInterval(clock, 1000);
addEventListener("resize", fit);
follow(show);
showWho();
