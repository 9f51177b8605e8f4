// Who is signed in at this browser. The token goes with all that is asked for; the cookie itself no script can read.

let known = null;

/** `{csrf, person}`; person is null where nobody is signed in. */
export function session() {
  known ??= fetch("/session", { cache: "no-store" })
    .then((answer) => answer.json())
    .catch(() => {
      known = null;
      return { csrf: "", person: null };
    });
  return known;
}

/** It may be another now. */
export function forgetSession() {
  known = null;
}

/** The page where one signs in, and which leads back here. */
export function signInAddress() {
  const query = new URLSearchParams({ to: location.pathname, lang: document.documentElement.lang });
  return `/sign-in?${query}`;
}

/** Goes there. */
export function toSignIn() {
  location.assign(signInAddress());
}

/** The phrases of one place: a function from a code (and its parts) to a text in the page's language. */
export async function phrases(place) {
  const found = await fetch(`/words/${place}`, { cache: "no-store" }).then((answer) => answer.json());
  return (code, parts = {}) => {
    const text = found[code] ? found[code][document.documentElement.lang] : code;
    return text.replace(/\{(\w+)\}/g, (_, name) => parts[name] ?? "");
  };
}

/** The name of who is signed in and the way out, or the way in, in the element `#who`; nothing where nobody can be. */
export async function showWho() {
  const node = document.getElementById("who");
  forgetSession();
  const { csrf, person } = await session();
  if (!csrf) return;
  const say = await phrases("sign_in").catch(() => (code) => code);
  node.hidden = false;
  if (!person) {
    const link = document.createElement("a");
    link.href = signInAddress();
    link.textContent = say("title");
    return node.replaceChildren(link);
  }
  const name = document.createElement("span");
  name.className = "name";
  name.textContent = person.name;
  const out = document.createElement("button");
  out.type = "button";
  out.textContent = say("sign_out");
  out.addEventListener("click", async () => {
    const { csrf: token } = await session();
    await fetch("/sign-out", { method: "POST", headers: { "x-csrf-token": token } }).catch(() => null);
    location.reload();
  });
  return node.replaceChildren(name, out);
}
