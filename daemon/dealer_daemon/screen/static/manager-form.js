// One act of the service manager: it is filled in, shown as it will be recorded, and sent with the PIN.

import { ask, heardAt, table, words } from "./live.js";
import { el, put } from "./draw.js";
import { picturesOf } from "./pictures.js";
import { session } from "./session.js";

const RANKS = [..."A23456789TJQK"];
const SUITS = { S: "♠", H: "♥", D: "♦", C: "♣" };
const dialog = document.getElementById("form");
let open = null;

export function cardText(card) {
  return card ? card[0].replace("T", "10") + SUITS[card[1]] : "–";
}

function begin(offer) {
  const cards = {};
  for (const place of offer.places || []) cards[place.position] = place.card;
  return { offer, same: JSON.stringify(offer), id: crypto.randomUUID(), keyed: [], position: null, card: null, cards, set: "", reason: "", answer: "" };
}

/** Shows the form of an offer. */
export function openForm(offer, say, tell) {
  open = begin(offer);
  if (offer.places && !offer.whole && offer.places.length) open.position = (offer.places.find((place) => !place.card) || offer.places[0]).position;
  fillIn(say, tell);
  dialog.showModal();
  dialog.querySelector("#reason").focus();
}

/** A form is about what its table was: where that is another now, it closes. */
export function tableMoved(offers, say, tell) {
  if (!open || !dialog.open || open.sending) return;
  if (offers.some((offer) => offer && JSON.stringify(offer) === open.same)) return;
  close();
  tell(say("moved_on"), false);
}

function close() {
  open = null;
  dialog.close();
}

dialog.addEventListener("close", () => (open = null));

function press(label, attributes, pressed) {
  const node = el("button", { type: "button", ...attributes }, label);
  node.addEventListener("click", pressed);
  return node;
}

function field(label, control) {
  return el("label", {}, el("span", {}, label), control);
}

function select(options, chosen, changed) {
  const node = el("select", {}, ...options.map(([value, label]) => el("option", value === chosen ? { value, selected: "" } : { value }, label)));
  node.addEventListener("change", () => changed(node.value));
  return node;
}

function keys(say, again) {
  const { field: name, count, choices } = open.offer.keys;
  const nodes = choices.map((choice) =>
    press(choice, { "data-key": choice, "aria-pressed": String(open.keyed.includes(choice)) }, () => {
      open.keyed = open.keyed.length >= count ? [choice] : [...open.keyed, choice];
      again();
    }),
  );
  return el("fieldset", { "data-field": name }, el("legend", {}, `${say("result")}: ${open.keyed.join(" ") || "–"}`), el("div", { class: choices.length > 12 ? "keys" : "keys few" }, ...nodes));
}

function cardKeys(say, chosen, choose) {
  const nodes = Object.keys(SUITS).flatMap((suit) =>
    RANKS.map((rank) => press(cardText(rank + suit), { "data-card": rank + suit, class: `suit-${suit}`, "aria-pressed": String(rank + suit === chosen) }, () => choose(rank + suit))),
  );
  return el("fieldset", {}, el("legend", {}, `${say("new_card")}: ${cardText(chosen)}`), el("div", { class: "cards" }, ...nodes));
}

function oneCard(say, again) {
  const places = open.offer.places.map((place) => [place.position, `${words(place.name)}${place.card ? ` (${cardText(place.card)})` : ""}`]);
  return [
    field(say("position"), select(places, open.position, (value) => (open.position = value))),
    cardKeys(say, open.card, (card) => {
      open.card = card;
      again();
    }),
  ];
}

function wholeHand(say, again) {
  const names = new Map(open.offer.places.map((place) => [place.position, words(place.name)]));
  const rows = Object.entries(open.cards).map(([position, card]) => {
    const choose = press(cardText(card), { "data-position": position, "aria-pressed": String(position === open.position), "aria-label": `${names.get(position) || position}: ${cardText(card)}` }, () => {
      open.position = position;
      again();
    });
    return el("li", {}, el("span", {}, names.get(position) || position), choose);
  });
  const typed = el("input", { "aria-label": say("add_place"), placeholder: "player.3", maxlength: 20 });
  const add = press(say("add_place"), {}, () => {
    const position = typed.value.trim();
    if (!/^[a-z0-9.]{1,20}$/.test(position)) return;
    open.cards[position] ??= null;
    open.position = position;
    again();
  });
  const none = open.position ? press(say("no_card"), { class: "wide" }, () => {
    open.cards[open.position] = null;
    again();
  }) : null;
  const pick = open.position ? [cardKeys(say, open.cards[open.position], (card) => {
    open.cards[open.position] = card;
    again();
  }), none] : [];
  return [el("ul", { class: "places" }, ...rows), el("p", { class: "add" }, typed, add), ...pick];
}

function fillIn(say, tell) {
  const { offer } = open;
  const again = () => fillIn(say, tell);
  const reason = el("input", { id: "reason", maxlength: 300, autocomplete: "off" });
  reason.value = open.reason;
  reason.addEventListener("input", () => (open.reason = reason.value));
  const parts = [];
  const seen = picturesOf(offer.round);
  if (seen.length) parts.push(el("div", { class: "thumbs" }, ...seen));
  if (offer.keys) parts.push(keys(say, again));
  if (offer.places) parts.push(...(offer.whole ? wholeHand(say, again) : oneCard(say, again)));
  if (offer.deck_sets && offer.deck_sets.length) parts.push(field(say("deck_set"), select([["", say("any_set")], ...offer.deck_sets.map((name) => [name, name])], open.set, (value) => (open.set = value))));
  parts.push(field(say("reason"), reason));
  const forward = el("button", { class: "main", "data-step": "check" }, say("check"));
  const form = el("form", {}, el("h2", { id: "form-title" }, words(offer.title)), ...parts, answered(), el("p", { class: "buttons" }, press(say("cancel"), {}, close), forward));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    open.answer = !open.reason.trim() ? say("reason_needed") : args() === null ? say("not_filled") : "";
    return open.answer ? again() : checkIt(say, tell);
  });
  put("form", form);
}

function answered() {
  return open.answer ? el("p", { class: "refused", role: "alert" }, open.answer) : null;
}

/** What was filled in, as the command takes it; null where something is missing. */
function args() {
  const { offer } = open;
  if (offer.keys) {
    const { field: name, count } = offer.keys;
    if (open.keyed.length !== count) return null;
    if (name === "number") return { number: open.keyed[0] };
    return { [name]: name === "dice" ? open.keyed.map(Number) : Number(open.keyed[0]) };
  }
  if (offer.places && offer.whole) {
    const cards = Object.fromEntries(Object.entries(open.cards).filter(([, card]) => card));
    if (!Object.keys(cards).length) return null;
    return offer.expects.length ? { cards, expects: offer.expects } : { cards };
  }
  if (offer.places) return open.position && open.card ? { position: open.position, card: open.card } : null;
  return open.set ? { deck_set: open.set } : {};
}

function told(filled) {
  return Object.entries(filled).flatMap(([name, value]) => {
    if (name === "cards") return Object.entries(value).map(([position, card]) => [position, cardText(card)]);
    if (name === "card") return [["", cardText(value)]];
    if (name === "expects") return [];
    return [["", Array.isArray(value) ? value.join(" ") : String(value)]];
  });
}

async function checkIt(say, tell) {
  const { offer } = open;
  const filled = args();
  const { person } = await session();
  const about = { round: "round", pause: "pause_number", replaces: "replaces" };
  const rows = [
    [say("act"), words(offer.title)],
    [say("table"), table],
    ...Object.entries(offer.about).map(([name, value]) => [say(about[name]), String(value)]),
    ...(offer.stands ? [[say("stands"), words(offer.stands)]] : []),
    ...told(filled).map(([label, value]) => [label || say("result"), value]),
    [say("reason"), open.reason.trim()],
    [say("by"), person ? person.name : ""],
  ];
  const pin = el("input", { id: "pin", type: "password", inputmode: "numeric", autocomplete: "off", maxlength: 12 });
  const record = el("button", { class: "main", "data-step": "record" }, say("record"));
  const back = press(say("change"), {}, () => {
    open.id = crypto.randomUUID();
    open.answer = "";
    fillIn(say, tell);
  });
  const form = el(
    "form",
    {},
    el("h2", { id: "form-title" }, say("recorded")),
    el("dl", {}, ...rows.flatMap(([label, value]) => [el("dt", {}, label), el("dd", {}, value)])),
    field(say("pin"), pin),
    answered(),
    el("p", { class: "buttons" }, back, record),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send(say, tell, filled, pin.value, record);
  });
  put("form", form);
  pin.focus();
}

async function send(say, tell, filled, pin, record) {
  const mine = open;
  record.disabled = true;
  mine.sending = true;
  const good = await ask("/pin", { pin });
  const body = { id: mine.id, at: heardAt, reason: mine.reason, about: mine.offer.about, args: filled };
  const said = good && good.ok ? await ask(`/tables/${encodeURIComponent(table)}/manager/acts/${mine.offer.act}`, body) : good;
  mine.sending = false;
  if (open !== mine) return;
  if (said && said.ok) {
    close();
    tell(words(said.text), true);
    return;
  }
  mine.answer = said ? [words(said.text), said.detail].filter(Boolean).join(": ") : say("unheard");
  checkIt(say, tell);
}
