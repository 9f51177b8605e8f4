// The feed of a page's table: a view when it comes and after each change, a heartbeat between. What is shown is live
// only while that goes on; else the page says so, large, and tries again by itself.

import { forgetSession, session } from "./session.js";

const STALE_MS = 5000;
const AGAIN_MS = 1000;

const root = document.documentElement;
export const table = root.dataset.table;
export const language = root.lang;

/** The newest time of the station that this page has heard, as a text: nanoseconds outgrow a number here. */
export let heardAt = "";

/** A text of a view in the page's language. */
export function words(text) {
  return text ? text[language] : "";
}

/** Calls `show(view)` with each view of the page's table. `address` is the feed's; `closed()` is told where the station
 * does not give it to this browser. */
export function follow(show, address = `/tables/${encodeURIComponent(table)}/feed`, closed = () => {}) {
  let source = null;
  let stale = 0;
  let shown = false;

  function notLive() {
    document.body.classList.add("not-live");
  }

  function heard(at) {
    heardAt = at;
    clearTimeout(stale);
    stale = setTimeout(lost, STALE_MS);
    if (shown) document.body.classList.remove("not-live");
  }

  function lost() {
    notLive();
    open();
  }

  // Another run of the station may have another page: this one is fetched anew, once it can be had.
  async function reload() {
    shown = false;
    notLive();
    const page = await fetch(location.href, { cache: "no-store" }).catch(() => null);
    if (page && page.ok) location.reload();
  }

  function open() {
    if (source) source.close();
    shown = false;
    clearTimeout(stale);
    stale = setTimeout(lost, STALE_MS);
    source = new EventSource(address);
    source.addEventListener("view", (event) => {
      const news = JSON.parse(event.data);
      if (news.view.boot !== root.dataset.boot) return reload();
      show(news.view);
      shown = true;
      heard(news.at);
    });
    source.addEventListener("beat", (event) => heard(JSON.parse(event.data).at));
    source.addEventListener("error", () => {
      // A connection that broke is old at once for whoever acts, and looks old when it stays away.
      if (source.readyState !== EventSource.CLOSED) return;
      setTimeout(open, AGAIN_MS);
      closed();
    });
  }

  open();
}

/** Sends what somebody asks for, with the token of this browser's session; answers `{ok, status, text, detail}`, or null
 * where the station did not answer. */
export async function ask(address, body = {}) {
  const { csrf } = await session();
  const answer = await fetch(address, {
    method: "POST",
    headers: { "content-type": "application/json", "x-csrf-token": csrf },
    body: JSON.stringify(body),
  }).catch(() => null);
  if (answer && (answer.status === 401 || answer.status === 403)) forgetSession();
  const said = answer ? await answer.json().catch(() => null) : null;
  return said && { ...said, status: answer.status };
}
