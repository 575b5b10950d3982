// What this browser remembers. Without storage the page works, and forgets when it is closed.

/** What could not be stored, as JSON; it counts in place of what was stored before. */
const unstored = new Map();

/** Return a remembered value, or `fallback`. */
export function recall(name, fallback = null) {
  try {
    return JSON.parse(unstored.get(name) ?? localStorage.getItem(`oddly-${name}`)) ?? fallback;
  } catch {
    return fallback;
  }
}

export function remember(name, value) {
  const text = JSON.stringify(value);
  try {
    localStorage.setItem(`oddly-${name}`, text);
    unstored.delete(name);
  } catch {
    // Private windows and full disks store nothing.
    unstored.set(name, text);
  }
}

/** Throw an Error with a sentence if this browser keeps no cookies: the server gives seats by them. */
export function needCookies() {
  document.cookie = "oddly-kept=1; samesite=strict";
  const isKept = document.cookie.includes("oddly-kept=1");
  document.cookie = "oddly-kept=; max-age=0; samesite=strict";
  if (isKept) return;
  throw new Error("This browser keeps no cookies, and so cannot hold a seat. Allow cookies for this page, and try again.");
}
