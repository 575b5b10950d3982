// Opens the page that the address names: #watch, #watch/GAME, #play or #play/GAME.

import { ask } from "./link.js";
import { element } from "./dom.js";
import { openPlay } from "./play.js";
import { openWatch } from "./watch.js";

const page = document.getElementById("page");
const tabs = { watch: document.getElementById("to-watch"), play: document.getElementById("to-play") };
let leave = () => {};
let facts = null;

async function enter() {
  leave();
  leave = () => {};
  try {
    facts ??= await ask("/api/facts");
  } catch (error) {
    page.replaceChildren(element("p", { class: "problem", role: "alert" }, error.message));
    setTimeout(enter, 3000);
    return;
  }
  const [name, game = ""] = location.hash.slice(1).split("/");
  const watching = name === "watch" || (name !== "play" && facts.watched);
  tabs.watch.toggleAttribute("aria-current", watching);
  tabs.play.toggleAttribute("aria-current", !watching);
  page.replaceChildren();
  leave = watching ? openWatch(page, facts, game) : openPlay(page, facts, game);
}

window.addEventListener("hashchange", enter);
enter();
