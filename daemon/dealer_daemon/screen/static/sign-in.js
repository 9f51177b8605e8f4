// Signing in, with a keyboard or with the keys on the screen: a table's screen may have none.

import { ask } from "./live.js";
import { el, put } from "./draw.js";

const ROWS = ["1234567890", "qwertyuiop", "asdfghjkl-", "zxcvbnm._ "];
const name = document.getElementById("name");
const password = document.getElementById("password");
let into = name;
let large = false;

for (const field of [name, password]) field.addEventListener("focus", () => (into = field));

function press(sign) {
  into.value = sign === null ? into.value.slice(0, -1) : into.value + (large ? sign.toUpperCase() : sign);
  if (large) shift();
  into.focus();
}

function shift() {
  large = !large;
  keys();
}

function key(sign, label = sign, attributes = {}) {
  const node = el("button", { type: "button", "data-key": sign === null ? "erase" : sign, ...attributes }, large ? label.toUpperCase() : label);
  node.addEventListener("click", () => press(sign));
  return node;
}

function keys() {
  const node = document.getElementById("keys");
  const rows = ROWS.map((row) => el("div", {}, ...[...row].map((sign) => (sign === " " ? key(" ", "␣", { "aria-label": "space" }) : key(sign)))));
  const other = el("button", { type: "button", "data-key": "shift", "aria-label": "Shift", "aria-pressed": String(large) }, "⇧");
  other.addEventListener("click", () => {
    shift();
    into.focus();
  });
  rows[3].prepend(other);
  rows[0].append(key(null, "⌫", { "aria-label": node.dataset.erase }));
  put("keys", ...rows);
}

async function enter(event) {
  event.preventDefault();
  const button = document.getElementById("enter");
  const answer = document.getElementById("answer");
  button.disabled = true;
  answer.hidden = true;
  const said = await ask("/sign-in", { name: name.value, password: password.value });
  button.disabled = false;
  if (said && said.ok) return location.replace(document.documentElement.dataset.to);
  password.value = "";
  answer.textContent = said ? said.text[document.documentElement.lang] : "…";
  answer.hidden = false;
  return (name.value ? password : name).focus();
}

document.getElementById("form").addEventListener("submit", enter);
keys();
