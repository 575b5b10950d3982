// Puzzles: one turn wins, and the solver has proven it. The streak is kept by this browser.

import { element, plural } from "./dom.js";
import { openNothing, openTaught } from "./learn.js";
import { PracticeBoard } from "./practice.js";
import { recall, remember } from "./memory.js";

const GRADES = ["", "easy", "fair", "tricky", "hard", "very hard"];
const boardName = ({ game, size }) => `${title(game)} ${size}`;
const title = (name) => name[0].toUpperCase() + name.slice(1);

export function openPuzzles(page, facts, id) {
  return openTaught(page, "/api/puzzles", ({ puzzles }) => {
    const puzzle = puzzles.find((each) => each.id === id);
    if (puzzle) return openPuzzle(page, puzzles, puzzle);
    if (id) return openNothing(page, "No such puzzle", "There is no puzzle at this address.", "#puzzles", "All puzzles");
    return openList(page, puzzles);
  });
}

const memory = () => ({ solved: {}, missed: {}, streak: 0, best: 0, ...recall("puzzles", {}) });

function streakLine({ streak, best }) {
  return element("p", { class: "note" }, `Solved in a row: ${streak}. Your best: ${best}.`);
}

function following(puzzles, solved, after = "") {
  const open = puzzles.filter((puzzle) => !solved[puzzle.id] && puzzle.id !== after);
  const before = puzzles.find((puzzle) => puzzle.id === after);
  return (before && open.find((puzzle) => boardName(puzzle) === boardName(before))) || open[0];
}

function openList(page, puzzles) {
  document.title = "Puzzles - oddly";
  const known = memory();
  const next = following(puzzles, known.solved);
  const boards = [...new Set(puzzles.map(boardName))].sort();
  page.append(element("div", { class: "narrow wide" },
    element("h1", {}, "Puzzles"),
    element("p", {}, "In each position exactly one turn wins, and the exact solver has proven it."),
    element("p", {}, `${puzzles.filter((puzzle) => known.solved[puzzle.id]).length} of ${plural(puzzles.length, "puzzle")} solved.`),
    streakLine(known),
    next ? element("p", {}, element("a", { class: "button primary", href: `#puzzles/${next.id}` }, "Solve the next one"))
      : element("p", {}, "You have solved them all."),
    ...boards.map((name) => boardCard(name, puzzles.filter((puzzle) => boardName(puzzle) === name), known.solved))));
  return () => {};
}

function boardCard(name, puzzles, solved) {
  const grades = [...new Set(puzzles.map((puzzle) => puzzle.grade))];
  return element("section", { class: "card" },
    element("h2", {}, name),
    ...grades.map((grade) => gradeList(name, grade, puzzles.filter((puzzle) => puzzle.grade === grade), solved)));
}

function gradeList(name, grade, puzzles, solved) {
  const done = puzzles.filter((puzzle) => solved[puzzle.id]).length;
  return element("details", {},
    element("summary", {}, `${GRADES[grade]}: ${done} of ${puzzles.length} solved`),
    element("ul", { class: "puzzles" }, ...puzzles.map((puzzle, index) =>
      element("li", {}, element("a", {
        href: `#puzzles/${puzzle.id}`, class: solved[puzzle.id] ? "solved" : "",
        "aria-label": `${name}, ${GRADES[grade]}, ${index + 1}${solved[puzzle.id] ? ", solved" : ""}`,
      }, `${index + 1}`)))));
}

function openPuzzle(page, puzzles, puzzle) {
  document.title = `Puzzle ${puzzle.id} - oddly`;
  const task = element("p", { class: "task", role: "status" });
  const said = element("div", { class: "said", role: "status" });
  const streak = element("div", {}, streakLine(memory()));
  /** Count a try at a puzzle that has not been solved. Who has missed it solves it, but not in a row. */
  const count = (solved) => {
    const known = memory();
    if (known.solved[puzzle.id]) return;
    if (!solved) known.streak = 0;
    else if (!known.missed[puzzle.id]) known.streak += 1;
    known.best = Math.max(known.best, known.streak);
    known[solved ? "solved" : "missed"][puzzle.id] = true;
    remember("puzzles", known);
    streak.replaceChildren(streakLine(known));
  };
  const show = ({ lesson }) => {
    task.textContent = lesson.ask;
    task.hidden = lesson.missed || lesson.solved;
    if (lesson.missed) count(false);
    if (lesson.solved) count(true);
    said.className = lesson.missed ? "said card wrong" : lesson.solved ? "said card right" : "said";
    const next = following(puzzles, memory().solved, puzzle.id);
    said.replaceChildren(...[
      lesson.said ? element("p", {}, lesson.said) : null,
      lesson.missed ? element("button", { type: "button", class: "primary", onclick: () => practice.again([]) }, "Try again") : null,
      lesson.solved && next ? element("a", { class: "button primary", href: `#puzzles/${next.id}` }, "Next puzzle") : null,
    ].filter(Boolean));
    if (lesson.missed || lesson.solved) said.querySelector("button, a")?.focus({ preventScroll: true });
  };
  const practice = new PracticeBoard({ puzzle: puzzle.id }, { changed: show, label: `Puzzle of ${title(puzzle.game)}` });
  practice.enter(page, element("div", { class: "lesson" },
    element("section", { class: "intro", "aria-label": "Task" },
      element("p", { class: "note" }, `Puzzles, ${GRADES[puzzle.grade]}`),
      element("h1", {}, `Puzzle: ${boardName(puzzle)}`),
      task),
    practice.place,
    element("section", { class: "panel", "aria-label": "Turn" },
      said, practice.counts, practice.actions, practice.note,
      element("div", { class: "toggles" }, practice.counting.button), streak,
      element("p", { class: "links" }, element("a", { href: "#puzzles" }, "All puzzles")))));
  return () => practice.leave();
}
