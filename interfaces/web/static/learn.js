// The rules of a game in short, with a board to click, and its lessons.

import { ask } from "./link.js";
import { element } from "./dom.js";
import { PracticeBoard } from "./practice.js";
import { recall, remember } from "./memory.js";

export function openLearn(page, facts, game, lesson) {
  return openTaught(page, "/api/courses", ({ courses }) => {
    const course = courses.find((each) => each.game === game);
    const name = `${game}/${lesson}`;
    if (!game) return openList(page, courses);
    if (!course) return openNothing(page, "No such game", "Nothing can be learned at this address.", "#learn", "All games");
    if (!lesson) return openCourse(page, course, facts);
    if (course.lessons.some((each) => each.name === name)) return openLesson(page, course, name);
    return openNothing(page, "No such lesson", `${course.title} has no lesson at this address.`, `#learn/${game}`,
      `${course.title}: the rules`);
  });
}

/** Open what `choose` makes of the server's answer, unless the page was left meanwhile. Returns how it is left. */
export function openTaught(page, address, choose) {
  let leave = () => {};
  let left = false;
  ask(address).then((found) => {
    if (!left) leave = choose(found);
  }).catch((error) => {
    if (!left) page.append(element("p", { class: "problem", role: "alert" }, error.message));
  });
  return () => {
    left = true;
    leave();
  };
}

/** Say that there is nothing at an address, with a link to where there is something. */
export function openNothing(page, title, sentence, address, text) {
  document.title = `${title} - oddly`;
  page.append(element("div", { class: "narrow" }, element("section", { class: "card", "aria-label": title },
    element("h1", {}, title), element("p", { role: "alert" }, sentence),
    element("p", { class: "actions" }, element("a", { class: "button primary", href: address }, text)))));
  return () => {};
}

function openList(page, courses) {
  document.title = "Learn - oddly";
  const done = recall("lessons", {});
  page.append(element("div", { class: "narrow" },
    element("h1", {}, "Learn"),
    ...courses.map((course) => element("section", { class: "card" },
      element("h2", {}, element("a", { href: `#learn/${course.game}` }, course.title)),
      element("p", {}, course.summary),
      element("p", { class: "note" },
        `${course.lessons.filter(({ name }) => done[name]).length} of ${course.lessons.length} lessons done`)))));
  return () => {};
}

function openCourse(page, course, facts) {
  document.title = `Learn ${course.title} - oddly`;
  const done = recall("lessons", {});
  const next = course.lessons.find(({ name }) => !done[name]) || course.lessons[0];
  const { name, size, settings } = course.picture.game;
  const board = new PracticeBoard({ game: name, size, settings }, { label: `A board of ${course.title} to try` });
  const usual = facts.games.find((game) => game.name === course.game);
  board.enter(page, element("div", { class: "lesson" },
    element("section", { class: "intro", "aria-label": "Rules" },
      element("h1", {}, `${course.title}: the rules`),
      element("ol", { class: "rules" }, ...course.rules.map((rule) => element("li", {}, rule))),
      element("p", { class: "note" }, `Try it: both sides are yours on this small board. A game is usually played on `
        + `${usual?.shape === "hexhex" ? `${usual.usual} cells per edge` : `${usual?.usual}x${usual?.usual}`}.`)),
    board.place,
    element("section", { class: "panel", "aria-label": "Turn and lessons" },
      board.counts, board.actions, board.note, element("div", { class: "toggles" }, board.counting.button),
      element("h2", {}, "Lessons"),
      lessonList(course, done),
      element("div", { class: "actions" },
        element("a", { class: "button primary", href: `#learn/${next.name}` }, course.lessons.some((each) => done[each.name])
          ? "Go on with the lessons" : "Begin the lessons"),
        element("a", { class: "button", href: `#play/new/${course.game}` }, `Play ${course.title}`)))));
  return () => board.leave();
}

function lessonList(course, done, current = "") {
  return element("ol", { class: "lessons" }, ...course.lessons.map(({ name, title }) =>
    element("li", { class: done[name] ? "done" : "" },
      element("a", { href: `#learn/${name}`, "aria-current": name === current ? "page" : null }, title),
      done[name] ? element("span", { class: "tick" }, " done") : null)));
}

function openLesson(page, course, name) {
  const index = course.lessons.findIndex((lesson) => lesson.name === name);
  const { title } = course.lessons[index];
  document.title = `${title} - ${course.title} - oddly`;
  const text = element("p", { class: "lesson-text" });
  const task = element("p", { class: "task", role: "status" });
  const said = element("div", { class: "said", role: "status" });
  const list = element("details", {});
  const show = ({ lesson, state }) => {
    text.textContent = lesson.text;
    task.textContent = lesson.ask;
    task.hidden = !lesson.ask || lesson.missed;
    said.className = lesson.missed ? "said card wrong" : lesson.said ? "said card right" : "said";
    const again = () => board.again(state.turns.slice(0, -1));
    said.replaceChildren(...[
      lesson.said ? element("p", {}, lesson.said) : null,
      lesson.missed ? element("button", { type: "button", class: "primary", onclick: again }, "Try again") : null,
      lesson.solved ? following(course, index) : null,
    ].filter(Boolean));
    if (lesson.solved) remember("lessons", { ...recall("lessons", {}), [name]: true });
    list.replaceChildren(element("summary", {}, "All lessons"), lessonList(course, recall("lessons", {}), name));
    if (lesson.missed || lesson.solved) said.querySelector("button, a")?.focus({ preventScroll: true });
  };
  const board = new PracticeBoard({ lesson: name }, { changed: show, label: title });
  board.enter(page, element("div", { class: "lesson" },
    element("section", { class: "intro", "aria-label": "Task" },
      element("p", { class: "note" }, `${course.title}, lesson ${index + 1} of ${course.lessons.length}`),
      element("h1", {}, title),
      text, task),
    board.place,
    element("section", { class: "panel", "aria-label": "Turn" }, said, board.counts, board.actions, board.note,
      element("div", { class: "toggles" }, board.counting.button), list,
      element("p", { class: "links" }, element("a", { href: `#learn/${course.game}` }, `${course.title}: the rules`)))));
  return () => board.leave();
}

function following(course, index) {
  const next = course.lessons[index + 1];
  if (next) return element("a", { class: "button primary", href: `#learn/${next.name}` }, `Next: ${next.title}`);
  return element("div", { class: "actions" },
    element("a", { class: "button primary", href: `#play/first/${course.game}` }, `Play your first game of ${course.title}`),
    element("a", { class: "button", href: "#puzzles" }, "Try the puzzles"));
}
