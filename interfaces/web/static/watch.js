// Watching has pages of its own, which the server draws: older addresses lead there.

import { here } from "./link.js";

export function openWatch(page, facts, name) {
  location.replace(here(name ? `/watch/game/${encodeURIComponent(name)}` : "/watch"));
  return () => {};
}
