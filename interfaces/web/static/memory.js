// What this browser remembers. Without storage the page works and forgets.

/** Return a remembered value, or `fallback`. */
export function recall(name, fallback = null) {
  try {
    return JSON.parse(localStorage.getItem(`oddly-${name}`)) ?? fallback;
  } catch {
    return fallback;
  }
}

export function remember(name, value) {
  try {
    localStorage.setItem(`oddly-${name}`, JSON.stringify(value));
  } catch {
    // Private windows and full disks store nothing.
  }
}
