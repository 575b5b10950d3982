// The page of an invitation: who takes the seat has it, and looking takes nothing.

import { ask } from "./link.js";
import { element } from "./dom.js";
import { needCookies, recall, remember } from "./memory.js";

export function openJoin(page, facts, key = "") {
  document.title = "Invitation - oddly";
  const card = element("section", { class: "card", "aria-label": "Invitation" }, element("p", { class: "note" }, "…"));
  page.append(element("div", { class: "narrow" }, card));
  ask("/api/seats/look", { key }).then((found) => card.isConnected && show(card, key, found))
    .catch((error) => refuse(card, error));
  return () => {};
}

/** Go to the game in place of the invitation, so that its link stays neither in the bar nor in the history. */
function enter(id) {
  location.replace(`#play/${id}`);
}

function show(card, key, { id, title, seat, players, yours, owner }) {
  if (yours.includes(seat)) {
    enter(id);
    return;
  }
  if (yours.length || owner) {
    card.replaceChildren(
      element("h1", {}, "Your invitation"),
      element("p", {}, "Send the address of this page to the person who is to play. The first who takes the seat has it."),
      element("p", { class: "actions" }, element("a", { class: "button primary", href: `#play/${id}` }, "Back to the game")));
    return;
  }
  const problem = element("p", { class: "problem", role: "alert" });
  const name = element("input", { name: "name", type: "text", maxlength: 24, autocomplete: "nickname", value: recall("name", "") });
  const button = element("button", { class: "primary", type: "submit" }, "Take the seat");
  const form = element("form", { onsubmit: async (event) => {
    event.preventDefault();
    button.disabled = true;
    problem.textContent = "";
    try {
      needCookies();
      await ask("/api/seats/take", { key, name: name.value.trim() });
      remember("name", name.value.trim());
      if (card.isConnected) enter(id);
    } catch (error) {
      button.disabled = false;
      if (error.status === 404 || error.status === 410) refuse(card, error);
      else problem.textContent = error.message;
    }
  } },
    element("label", { class: "field" }, "Your name", name),
    problem,
    element("div", { class: "actions" }, button,
      element("a", { class: "button", href: `#play/${id}` }, "Only look on")));
  card.replaceChildren(
    element("h1", {}, title),
    element("p", {}, `You are invited to play against ${players[1 - seat]}. ${seat ? "You have White, and reply." : "You have Black, and begin."}`),
    form);
}

function refuse(card, error) {
  card.replaceChildren(
    element("h1", {}, "Invitation"),
    element("p", { class: "problem", role: "alert" }, error.message),
    element("p", {}, "Ask the person who sent it for a new one."),
    element("p", { class: "actions" },
      error.game ? element("a", { class: "button primary", href: `#play/${error.game}` }, "Look on") : null,
      element("a", { class: "button", href: "#home" }, "To the start page")));
}
