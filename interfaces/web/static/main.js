// Which room is open: #watch, #watch/GAME, #play or #play/GAME.

import { ask } from "./link.js";
import { element } from "./dom.js";
import { openPlay } from "./play.js";
import { openWatch } from "./watch.js";

const room = document.getElementById("room");
const tabs = { watch: document.getElementById("to-watch"), play: document.getElementById("to-play") };
let leave = () => {};
let facts = null;

async function enter() {
  leave();
  leave = () => {};
  try {
    facts ??= await ask("/api/room");
  } catch (error) {
    room.replaceChildren(element("p", { class: "problem", role: "alert" }, error.message));
    setTimeout(enter, 3000);
    return;
  }
  const [name, game = ""] = location.hash.slice(1).split("/");
  const watching = name === "watch" || (name !== "play" && facts.watched);
  tabs.watch.toggleAttribute("aria-current", watching);
  tabs.play.toggleAttribute("aria-current", !watching);
  room.replaceChildren();
  leave = watching ? openWatch(room, facts, game) : openPlay(room, facts, game);
}

window.addEventListener("hashchange", enter);
enter();
