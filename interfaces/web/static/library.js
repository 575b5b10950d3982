// Where a game to analyse comes from: a file, a text, an empty board, or one's own games.

import { ask } from "./link.js";
import { element, headings, plural } from "./dom.js";
import { recall } from "./memory.js";

const MAX_BYTES = 1 << 20;
const TOO_LARGE = "A file may have up to 1 MiB";

function kibibytes(size) {
  return `${Math.ceil(size / 1024)} KiB`;
}

/** Return the bytes of a file in Base64. The server decodes its text, since SGF files say in which encoding they are. */
function base64(file) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result.split(",")[1] || "");
    reader.onerror = () => reject(new Error(`The browser cannot read ${file.name}.`));
    reader.readAsDataURL(file);
  });
}

/** Show the games of a file as a table to choose from; `open(game)` hears of the choice. */
function list(place, games, open) {
  const row = (game, index) => element("tr", {},
    element("td", {}, String(index + 1)),
    element("td", {}, element("button", { type: "button", class: "turn", onclick: () => open(game),
      "aria-label": `Open game ${index + 1}: ${game.players.join(" - ")}` }, game.game.title)),
    ...game.players.map((player, seat) => element("td", {}, element(game.winner === seat ? "strong" : "span", {}, player))),
    element("td", {}, game.score), element("td", {}, String(game.turns.length)));
  const heading = element("h2", { tabindex: -1 }, plural(games.length, "game"));
  place.replaceChildren(element("section", { class: "card", "aria-label": "Games of the file" }, heading,
    element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Table of games" },
      element("table", { class: "found" },
        element("thead", {}, headings(["", "game", "first", "second", "result", "turns"])),
        element("tbody", {}, ...games.map(row))))));
  heading.focus();
}

export function openLibrary(page, facts, analysisOf) {
  document.title = "Analyse - oddly";
  const problem = element("p", { class: "problem", role: "alert" });
  const found = element("div", { class: "found-place" });
  const open = (game) => { location.hash = analysisOf({ ...game, at: 0 }); };
  const read = async (given) => {
    problem.textContent = "";
    found.replaceChildren();
    try {
      const { games } = await ask("/api/files", { ...await given(), board: board() });
      if (games.length === 1) open(games[0]);
      else list(found, games, open);
    } catch (error) {
      problem.textContent = error.message;
    }
  };
  const readText = (text) => read(() => {
    const { size } = new Blob([text]);
    if (size > MAX_BYTES) throw new Error(`${TOO_LARGE}: this one has ${kibibytes(size)}.`);
    return { text };
  });
  const readFile = (file) => read(async () => {
    // What cannot be games is not even read.
    if (file.size > MAX_BYTES) throw new Error(`${TOO_LARGE}: ${file.name} has ${kibibytes(file.size)}.`);
    return { file: await base64(file) };
  });
  const choose = element("input", { type: "file", "aria-label": "A file with games", onchange: async () => {
    if (choose.files[0]) await readFile(choose.files[0]);
    // The same file may be chosen again, once it is changed.
    choose.value = "";
  } });
  const text = element("textarea", { rows: 5, "aria-label": "Games as text", spellcheck: false });
  const game = element("select", { "aria-label": "Game of a list of turns" },
    ...facts.games.map(({ name, title }) => element("option", { value: name }, title)));
  const size = element("input", { type: "number", "aria-label": "Size of the board", inputmode: "numeric" });
  const known = () => facts.games.find(({ name }) => name === game.value);
  const suggest = () => {
    size.value = known().usual;
    text.placeholder = known().sample;
  };
  game.addEventListener("change", suggest);
  suggest();
  const board = () => ({ game: game.value, size: Number(size.value), settings: {} });
  const drop = element("section", { class: "card drop" },
    element("h2", {}, "A file"),
    element("p", {}, "Drop a file here, or choose one: SGF, JSON Lines, lists of turns, or records of Abstract Play, with up to 50 games and 1 MiB."),
    choose);
  for (const kind of ["dragover", "drop"]) {
    drop.addEventListener(kind, async (event) => {
      event.preventDefault();
      drop.classList.toggle("over", kind === "dragover");
      if (kind === "drop" && event.dataTransfer.files[0]) await readFile(event.dataTransfer.files[0]);
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
        element("button", { type: "button", class: "primary", onclick: () => readText(text.value) }, "Read it"),
        element("label", { class: "inline" }, "Turns are of ", game), element("label", { class: "inline" }, "size ", size))),
    element("section", { class: "card" },
      element("h2", {}, "An empty board"),
      element("p", { class: "actions" }, ...facts.games.map(({ name, title }) =>
        element("a", { class: "button", href: `#analyse/new/${name}` }, title)))),
    element("p", { class: "note" }, "Your own games: open one on the page to play, then choose Analyse there.")));
  return () => {};
}
