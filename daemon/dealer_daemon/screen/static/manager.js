// The service manager's page: what the dealer sees, the acts that are possible now, the outcomes, the evidence.

import { follow, table, words } from "./live.js";
import { el, put } from "./draw.js";
import { pictures } from "./pictures.js";
import { forgetSession, phrases, session, showWho, toSignIn } from "./session.js";
import { openForm, tableMoved } from "./manager-form.js";

const ANSWER_MS = 8000;
const address = `/tables/${encodeURIComponent(table)}/manager`;
const say = await phrases("manager");
let hideAnswer = 0;

function line(text, attributes = {}) {
  return el("p", attributes, words(text));
}

function tell(text, ok) {
  const node = document.getElementById("answer");
  node.textContent = text;
  node.classList.toggle("refused", !ok);
  node.hidden = false;
  clearTimeout(hideAnswer);
  hideAnswer = setTimeout(() => (node.hidden = true), ANSWER_MS);
}

function button(offer) {
  const node = el("button", { type: "button", class: offer.weight, "data-act": offer.act }, words(offer.title));
  node.addEventListener("click", () => openForm(offer, say, tell));
  return node;
}

function ended(one) {
  const mark = one.corrected ? el("span", { class: "mark" }, say("corrected")) : null;
  const time = new Date(one.at_ms).toTimeString().slice(0, 8);
  const act = one.offer ? button(one.offer) : el("span", { class: "quiet" }, say("other_game"));
  const about = el("p", { class: "quiet" }, `${one.round} · ${time} `, mark);
  return el("li", { "data-sequence": one.sequence }, el("div", {}, about, line(one.result, { class: "result" })), act);
}

function show(view) {
  document.body.dataset.phase = view.phase;
  document.body.dataset.tone = view.due.tone;
  document.body.dataset.sequence = view.sequence;
  put("game", words(view.game));
  put("phase", words(view.phase_text));
  put("names", ...view.names.map((name) => el("span", {}, words(name))));
  put("due-text", words(view.due.text));
  put("due-more", view.paused_for || words(view.due.more));
  put("alarms", ...view.alarms.map((alarm) => line(alarm.text, { class: alarm.severity, "data-code": alarm.code })));
  put("marks", ...view.marks.map((mark) => line(mark.text, { class: mark.severity, "data-code": mark.code })));
  const refusal = document.getElementById("refusal");
  refusal.hidden = !view.refusal;
  if (view.refusal) put("refusal", line(view.refusal.remedy, { class: "remedy" }), line(view.refusal.figures || view.refusal.reason), view.refusal.where && line(view.refusal.where, { class: "quiet" }));
  document.getElementById("lies").hidden = !view.lies;
  put("lies", view.lies && `${say("lies")}: ${words(view.lies)}`);
  put("acts", ...view.offers.map(button));
  put("ended", ...(view.ended.length ? view.ended.map(ended) : [el("li", { class: "quiet" }, say("no_outcomes"))]));
  pictures(view.evidence, `${address}/evidence`, say("no_pictures"), say("cancel"));
  tableMoved([...view.offers, ...view.ended.map((one) => one.offer)], say, tell);
}

for (const [id, code] of Object.entries({ "acts-title": "acts", "ended-title": "ended", "evidence-title": "evidence" })) put(id, say(code));
follow(show, `${address}/feed`, async () => {
  forgetSession();
  const { csrf, person } = await session();
  if (csrf && (!person || person.role !== "manager")) toSignIn();
});
showWho();
