// The form that lets two engines play each other.

import { ask, here } from "./link.js";

export function openExhibition(page) {
  const form = page.querySelector("#exhibition");
  if (!form) return;
  const problem = form.querySelector(".problem");
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const data = new FormData(form);
    const [game, size] = data.get("game").split("/");
    try {
      const { id } = await ask("/api/exhibitions", {
        game, size: Number(size), first: data.get("first"), second: data.get("second"), seconds: Number(data.get("seconds")) });
      location.assign(here(`/watch/game/${encodeURIComponent(id)}`));
    } catch (error) {
      problem.textContent = error.message;
    }
  });
}
