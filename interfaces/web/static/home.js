// The start page: a card a game, and what was left unfinished.

import { ask } from "./link.js";
import { element } from "./dom.js";
import { Picture } from "./picture.js";
import { recall, remember } from "./memory.js";

export function openHome(page, facts) {
  document.title = "oddly";
  const cards = element("div", { class: "games" });
  const pictures = [];
  const moving = element("button", { type: "button", class: "quiet", onclick: () => set(!recall("moving", true)) });
  const set = (wanted) => {
    remember("moving", wanted);
    moving.textContent = wanted ? "Stop the pictures" : "Let the pictures play";
    for (const picture of pictures) picture.run(wanted);
  };
  page.append(
    element("div", { class: "hero" },
      element("h1", {}, "Four games about groups"),
      element("p", {}, "A group is a set of touching stones of one colour. Learn a game in five minutes, play it "
        + "against an engine or a friend, and see afterwards where it turned."),
      unfinished()),
    cards);
  moving.hidden = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  let left = false;
  ask("/api/courses").then(({ courses }) => {
    if (left) return;
    const taught = new Map(courses.map((course) => [course.game, course]));
    const games = facts.games.map(({ name, title }) => taught.get(name) || { game: name, title, lessons: [] });
    cards.append(...games.map((course) => card(course, pictures)));
    page.append(element("p", { class: "links" }, element("a", { href: "#puzzles" }, "Puzzles with proven answers"), moving));
    if (!moving.hidden) {
      moving.textContent = recall("moving", true) ? "Stop the pictures" : "Let the pictures play";
      if (!recall("moving", true)) setTimeout(() => pictures.forEach((picture) => picture.run(false)), 400);
    }
  }).catch((error) => cards.append(element("p", { class: "problem", role: "alert" }, error.message)));
  return () => {
    left = true;
    for (const picture of pictures) picture.leave();
  };
}

function unfinished() {
  const last = recall("played");
  if (!last?.turns || last.over) return null;
  return element("p", {}, element("a", { class: "button", href: `#play/${last.id}` },
    `Resume your game of ${last.title} at turn ${last.turns + 1}`));
}

function card(course, pictures) {
  const done = recall("lessons", {});
  const number = course.lessons.filter(({ name }) => done[name]).length;
  let picture = null;
  if (course.picture) {
    const drawn = new Picture(course.picture, `A short game of ${course.title}`);
    pictures.push(drawn);
    picture = drawn.node;
  }
  const link = (href, text, kind) => element("a", { class: kind, href, "aria-label": `${text} ${course.title}` }, text);
  return element("article", { class: "card game", "data-game": course.game },
    picture,
    element("h2", {}, course.title),
    element("p", { class: "summary" }, course.summary || ""),
    element("p", { class: "actions" },
      course.lessons.length ? link(`#learn/${course.game}`, "Learn", "button primary") : null,
      link(`#play/new/${course.game}`, "Play", "button"),
      link(`#analyse/new/${course.game}`, "Analyse", "button")),
    course.lessons.length
      ? element("p", { class: "note" }, number ? `${number} of ${course.lessons.length} lessons done`
        : `${course.lessons.length} short lessons`) : null);
}
