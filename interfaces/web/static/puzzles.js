// Puzzles: one turn wins, and the solver has proven it. The streak is kept by this browser.

import { ask } from "./link.js";
import { element, plural } from "./dom.js";
import { PracticeBoard } from "./practice.js";
import { recall, remember } from "./memory.js";

const GRADES = ["", "easy", "fair", "tricky", "hard", "very hard"];
const title = (name) => name[0].toUpperCase() + name.slice(1);

export function openPuzzles(page, facts, id) {
  let leave = () => {};
  let left = false;
  ask("/api/puzzles").then(({ puzzles }) => {
    if (left) return;
    const puzzle = puzzles.find((each) => each.id === id);
    leave = puzzle ? openPuzzle(page, puzzles, puzzle) : openList(page, puzzles);
  }).catch((error) => page.append(element("p", { class: "problem", role: "alert" }, error.message)));
  return () => {
    left = true;
    leave();
  };
}

const memory = () => ({ solved: {}, streak: 0, best: 0, ...recall("puzzles", {}) });

function streakLine({ streak, best }) {
  return element("p", { class: "note" }, `Solved in a row: ${streak}. Your best: ${best}.`);
}

function following(puzzles, solved, after = "") {
  const open = puzzles.filter((puzzle) => !solved[puzzle.id] && puzzle.id !== after);
  const game = puzzles.find((puzzle) => puzzle.id === after)?.game;
  return open.find((puzzle) => puzzle.game === game) || open[0];
}

function openList(page, puzzles) {
  document.title = "Puzzles - oddly";
  const known = memory();
  const next = following(puzzles, known.solved);
  const games = [...new Set(puzzles.map((puzzle) => puzzle.game))];
  page.append(element("div", { class: "narrow wide" },
    element("h1", {}, "Puzzles"),
    element("p", {}, "In each position exactly one turn wins, and the exact solver has proven it."),
    element("p", {}, `${Object.keys(known.solved).length} of ${plural(puzzles.length, "puzzle")} solved.`),
    streakLine(known),
    next ? element("p", {}, element("a", { class: "button primary", href: `#puzzles/${next.id}` }, "Solve the next one"))
      : element("p", {}, "You have solved them all."),
    ...games.map((game) => element("section", { class: "card" },
      element("h2", {}, title(game)),
      element("ul", { class: "puzzles" }, ...puzzles.filter((puzzle) => puzzle.game === game).map((puzzle, index) =>
        element("li", {}, element("a", {
          href: `#puzzles/${puzzle.id}`, class: known.solved[puzzle.id] ? "solved" : "",
          "aria-label": `${title(game)} ${index + 1}, ${GRADES[puzzle.grade]}${known.solved[puzzle.id] ? ", solved" : ""}`,
        }, `${index + 1}`, element("small", {}, known.solved[puzzle.id] ? "solved" : GRADES[puzzle.grade])))))))));
  return () => {};
}

function openPuzzle(page, puzzles, puzzle) {
  document.title = `Puzzle ${puzzle.id} - oddly`;
  const task = element("p", { class: "task", role: "status" });
  const said = element("div", { class: "said", role: "status" });
  const streak = element("div", {}, streakLine(memory()));
  let judged = false;
  const count = (solved) => {
    const known = memory();
    if (judged || known.solved[puzzle.id]) return;
    judged = true;
    known.streak = solved ? known.streak + 1 : 0;
    known.best = Math.max(known.best, known.streak);
    if (solved) known.solved[puzzle.id] = true;
    remember("puzzles", known);
    streak.replaceChildren(streakLine(known));
  };
  const show = ({ lesson }) => {
    task.textContent = lesson.ask;
    task.hidden = lesson.missed || lesson.solved;
    if (lesson.missed) count(false);
    if (lesson.solved) {
      count(true);
      const known = memory();
      known.solved[puzzle.id] = true;
      remember("puzzles", known);
    }
    said.className = lesson.missed ? "said card wrong" : lesson.solved ? "said card right" : "said";
    const next = following(puzzles, memory().solved, puzzle.id);
    said.replaceChildren(...[
      lesson.said ? element("p", {}, lesson.said) : null,
      lesson.missed ? element("button", { type: "button", class: "primary", onclick: () => board.go([]) }, "Try again") : null,
      lesson.solved && next ? element("a", { class: "button primary", href: `#puzzles/${next.id}` }, "Next puzzle") : null,
    ].filter(Boolean));
    if (lesson.missed || lesson.solved) said.querySelector("button, a")?.focus({ preventScroll: true });
  };
  const board = new PracticeBoard({ puzzle: puzzle.id }, { changed: show, label: `Puzzle of ${title(puzzle.game)}` });
  page.append(element("div", { class: "lesson" },
    element("section", { class: "intro", "aria-label": "Task" },
      element("p", { class: "note" }, element("a", { href: "#puzzles" }, "Puzzles"), `, ${GRADES[puzzle.grade]}`),
      element("h1", {}, `Puzzle: ${title(puzzle.game)}`),
      task),
    board.place,
    element("section", { class: "panel", "aria-label": "Turn" },
      said, board.counts, board.actions, board.note, streak)));
  return () => board.leave();
}
