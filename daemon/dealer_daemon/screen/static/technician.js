// The technician's page: each device in four steps, what is wrong with it, the bench's commands, the newest events.

import { follow, heardAt, table, words } from "./live.js";
import { el, put } from "./draw.js";
import { pictures } from "./pictures.js";
import { forgetSession, phrases, session, showWho, toSignIn } from "./session.js";

const address = `/tables/${encodeURIComponent(table)}/technician`;
const say = await phrases("technician");
const STALE_S = 30;

/** Now by the station's clock. */
function now() {
  return heardAt ? Number(heardAt.slice(0, -6)) : Date.now();
}

function agoOf(time) {
  return Math.max(0, Math.round((now() - Date.parse(time)) / 1000));
}

function ago(time) {
  if (!time) return say("never");
  const seconds = agoOf(time);
  if (seconds < 120) return say("ago_s", { n: seconds });
  if (seconds < 7200) return say("ago_min", { n: Math.floor(seconds / 60) });
  return seconds < 172800 ? say("ago_h", { n: Math.floor(seconds / 3600) }) : say("ago_days", { n: Math.floor(seconds / 86400) });
}

function step(label, good, text, count) {
  return el("li", { class: good }, el("b", {}, label), el("span", {}, text), count === undefined ? null : el("span", { class: "quiet" }, String(count)));
}

function goodness(time) {
  if (!time) return "bad";
  return agoOf(time) > STALE_S ? "old" : "good";
}

function row(label, ...values) {
  return [el("dt", {}, label), el("dd", {}, ...values)];
}

function calibration(health) {
  const one = health.calibrated;
  if (!one) return row(say("calibration"), health.calibration || say("no_calibration"));
  const age = one.made ? ` · ${ago(one.made)}` : "";
  const by = one.by ? ` · ${one.by}` : "";
  return [...row(say("calibration"), `${one.id || say("by_path")}${age}${by}`), ...one.warnings.flatMap((warning) => row("", el("span", { class: "warn" }, warning)))];
}

function commands(steps) {
  return el("ul", { class: "commands" }, ...steps.map((one) => el("li", {}, el("code", {}, one))));
}

function device(one) {
  const { health } = one;
  const link = `${say(health.link)} · ${ago(health.link_since)}`;
  const steps = el(
    "ol",
    { class: "steps" },
    step(say("step_link"), health.link === "up" ? "good" : "bad", link),
    step(say("step_bytes"), goodness(health.last_byte), ago(health.last_byte), health.bytes_in),
    step(say("step_frames"), goodness(health.last_valid_frame), ago(health.last_valid_frame), health.valid_frames),
    step(say("step_readings"), goodness(health.last_reading), ago(health.last_reading)),
  );
  const rows = [
    ...(health.link_reason ? row(say("step_link"), el("span", { class: "warn" }, health.link_reason)) : []),
    ...(one.faults.length ? row(say("faults"), el("span", { class: "warn" }, one.faults.map(words).join(" · "))) : []),
    ...(health.maintenance ? row("", el("span", { class: "warn" }, say("lent", { name: health.maintenance }))) : []),
    ...calibration(health),
    ...Object.entries(health.notices).flatMap(([name, value]) => row(name, value)),
    ...(health.flight_recorder ? row(say("recorder"), health.flight_recorder) : []),
    ...row("", el("span", { class: "quiet" }, say("counts", { bytes_in: health.bytes_in, bytes_out: health.bytes_out, rejected: health.rejected_bytes, opens: health.opens }))),
  ];
  const title = el("h3", {}, one.name, el("span", { class: "quiet" }, ` ${health.driver} (${health.maturity}) · ${health.port}`));
  const bench = el("details", { "data-device": one.name }, el("summary", {}, say("bench")), commands(one.steps));
  bench.open = Boolean(document.querySelector(`details[data-device="${CSS.escape(one.name)}"]`)?.open);
  return el("article", { "data-device": one.name }, title, steps, el("dl", {}, ...rows), bench);
}

function broker(mqtt, sequence) {
  const state = mqtt.connected ? say("connected", { protocol: mqtt.protocol }) : say("not_connected");
  const waiting = say("published", { published: mqtt.published, waiting: sequence - mqtt.published });
  const consumers = Object.entries(mqtt.consumers).map(([name, handled]) => el("p", {}, say("consumer", { name, sequence: handled })));
  const problems = mqtt.problems.map((problem) => el("p", { class: "warn" }, problem));
  return [el("p", { class: mqtt.connected ? "" : "warn" }, state), el("p", {}, waiting), ...consumers, ...problems];
}

function event(one) {
  const head = el("p", {}, el("b", {}, one.type), el("span", { class: "quiet" }, ` ${one.time.slice(11, 23)} · ${one.sequence}${one.subject ? ` · ${one.subject}` : ""}`));
  return el("li", { value: one.sequence, "data-type": one.type }, head, el("code", {}, one.data));
}

function show(view) {
  document.body.dataset.phase = view.phase;
  document.body.dataset.sequence = view.sequence;
  put("game", words(view.game));
  put("phase", words(view.phase_text));
  put("names", ...view.names.map((name) => el("span", {}, words(name))));
  put("alarms", ...view.alarms.map((alarm) => el("p", { class: alarm.severity, "data-code": alarm.code }, words(alarm.text))));
  put("marks", ...view.marks.map((mark) => el("p", { class: mark.severity }, words(mark.text))));
  put("devices", ...view.devices.map(device));
  put("broker", ...broker(view.mqtt, view.sequence));
  put("bench", commands(view.steps));
  put("events", ...view.tail.map(event));
  pictures(view.pictures, `${address}/evidence`, say("no_pictures"), say("close"));
}

const titles = { "devices-title": "devices", "broker-title": "broker", "bench-title": "bench", "pictures-title": "pictures", "events-title": "events" };
for (const [id, code] of Object.entries(titles)) put(id, say(code));
follow(show, `${address}/feed`, async () => {
  forgetSession();
  const { csrf, person } = await session();
  if (csrf && (!person || person.role === "dealer")) toSignIn();
});
showWho();
