// Where a game to analyse comes from: a file, a text, an empty board, or one's own games.

import { ask } from "./link.js";
import { element, plural } from "./dom.js";
import { recall } from "./memory.js";

export function openLibrary(page, facts, analysisOf) {
  document.title = "Analyse - oddly";
  const problem = element("p", { class: "problem", role: "alert" });
  const found = element("ul", { class: "found" });
  const read = async (text) => {
    problem.textContent = "";
    found.replaceChildren();
    try {
      const { games } = await ask("/api/files", { text, board: board() });
      const open = (game) => { location.hash = analysisOf({ ...game, at: 0 }); };
      if (games.length === 1) open(games[0]);
      else {
        found.replaceChildren(...games.map((game) => element("li", {}, element("button", {
          type: "button", class: "quiet", onclick: () => open(game),
        }, `${game.game.title}: ${game.players.join(" - ")}, ${game.score}, ${plural(game.turns.length, "turn")}`))));
      }
    } catch (error) {
      problem.textContent = error.message;
    }
  };
  const choose = element("input", { type: "file", "aria-label": "A file with games", onchange: async () => {
    if (choose.files[0]) read(await choose.files[0].text());
  } });
  const text = element("textarea", { rows: 5, "aria-label": "Games as text", spellcheck: false,
    placeholder: "Bc3 Wa3,Be3 We1,Bd3" });
  const game = element("select", { "aria-label": "Game of a list of turns" },
    ...facts.games.map(({ name, title }) => element("option", { value: name }, title)));
  const size = element("input", { type: "number", "aria-label": "Size of the board", inputmode: "numeric" });
  const known = () => facts.games.find(({ name }) => name === game.value);
  game.addEventListener("change", () => { size.value = known().usual; });
  size.value = known().usual;
  const board = () => ({ game: game.value, size: Number(size.value), settings: {} });
  const drop = element("section", { class: "card drop" },
    element("h2", {}, "A file"),
    element("p", {}, "Drop a file here, or choose one: SGF, JSON Lines, lists of turns, or records of Abstract Play."),
    choose);
  for (const kind of ["dragover", "drop"]) {
    drop.addEventListener(kind, async (event) => {
      event.preventDefault();
      drop.classList.toggle("over", kind === "dragover");
      if (kind === "drop" && event.dataTransfer.files[0]) read(await event.dataTransfer.files[0].text());
    });
  }
  drop.addEventListener("dragleave", () => drop.classList.remove("over"));
  const last = recall("analysed");
  page.append(element("div", { class: "narrow wide" },
    element("h1", {}, "Analyse"),
    element("p", {}, "Go through a game, try other turns, and see how an engine judges them."),
    last ? element("p", {}, element("a", { class: "button primary", href: "#analyse/last" },
      `Go on with ${last.game.title || last.game.name}`)) : null,
    problem, found, drop,
    element("section", { class: "card" },
      element("h2", {}, "A text"),
      text,
      element("div", { class: "actions" },
        element("button", { type: "button", class: "primary", onclick: () => read(text.value) }, "Read it"),
        element("label", { class: "inline" }, "Turns are of ", game), element("label", { class: "inline" }, "size ", size))),
    element("section", { class: "card" },
      element("h2", {}, "An empty board"),
      element("p", { class: "actions" }, ...facts.games.map(({ name, title }) =>
        element("a", { class: "button", href: `#analyse/new/${name}` }, title)))),
    element("p", { class: "note" }, "Your own games: open one on the page to play, then choose Analyse there.")));
  return () => {};
}
