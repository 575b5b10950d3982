// Opens the page that the address names, such as #learn/yodd or #play/GAME.

import { ask } from "./link.js";
import { element } from "./dom.js";
import { openAnalyse } from "./analyse.js";
import { openHome } from "./home.js";
import { openJoin } from "./join.js";
import { openLearn } from "./learn.js";
import { openPlay } from "./play.js";
import { openPuzzles } from "./puzzles.js";
import { openWatch } from "./watch.js";

const ROOMS = {
  home: openHome, learn: openLearn, play: openPlay, join: openJoin, analyse: openAnalyse, puzzles: openPuzzles,
  watch: openWatch,
};
const page = document.getElementById("page");
const links = [...document.querySelectorAll("nav a")];
let leave = () => {};

/** Keep the name of a game in the part of the address that the server sees: it opens the page, too. */
function addressGame() {
  const key = new URLSearchParams(location.search).get("game");
  const hash = location.hash || (key ? `#play/${encodeURIComponent(key)}` : "");
  const shown = /^#play\/([\w-]{16,})$/.exec(hash)?.[1] || (/^#join\//.test(hash) ? key : "");
  history.replaceState(null, "", `${location.pathname}${shown ? `?game=${encodeURIComponent(shown)}` : ""}${hash}`);
}

/** Say what the server compiles, until it is done. */
function tellOfWarming() {
  const line = document.getElementById("warming");
  line.hidden = !facts.warming;
  if (!facts.warming) return;
  line.textContent = `The server compiles its engine for ${facts.warming}, once on this machine. Lessons, puzzles and `
    + "games between people work meanwhile; the engine plays by the plain rules, and so weaker.";
  setTimeout(async () => {
    try {
      facts.warming = (await ask("/api/facts")).warming;
      tellOfWarming();
    } catch {
      line.hidden = true;
    }
  }, 3000);
}

let facts = null;
let entered = false;
let entries = 0;
/** The end of the address whose page is shown. */
let shown = null;

async function enter() {
  const entry = ++entries;
  addressGame();
  shown = location.hash;
  leave();
  leave = () => {};
  try {
    if (!facts) {
      facts = await ask("/api/facts");
      // What a guest may not do is not offered.
      document.body.classList.toggle("opens-nothing", !facts.may_open);
      tellOfWarming();
    }
  } catch (error) {
    if (entry !== entries) return;
    page.replaceChildren(element("p", { class: "problem", role: "alert" }, error.message));
    setTimeout(enter, 3000);
    return;
  }
  // The address has changed while the server was asked.
  if (entry !== entries) return;
  const [name, ...rest] = location.hash.slice(1).split("/");
  const room = Object.hasOwn(ROOMS, name) ? name : facts.watched ? "watch" : "home";
  for (const link of links) {
    const here = link.getAttribute("href") === `#${room}`;
    if (here) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
    if (link.id === "to-watch") link.hidden = facts.guest;
  }
  page.replaceChildren();
  leave = ROOMS[room](page, facts, ...rest);
  // A reader of the page begins at its top, and the first Tab goes to the board of a game, a lesson or a puzzle.
  if (entered || rest.length) page.focus({ preventScroll: true });
  if (entered) window.scrollTo(0, 0);
  entered = true;
}

// Going back from a game changes more of the address than its end, and then is no hashchange.
for (const kind of ["hashchange", "popstate"]) {
  window.addEventListener(kind, () => {
    if (location.hash !== shown) enter();
  });
}
enter();
