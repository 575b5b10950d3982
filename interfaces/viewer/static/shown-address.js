// Keeps the address in the bar at what is shown.

const BETWEEN = 400;
let entered = "";

/** Whether the address has changed since this was last asked, other than by `showAddress`. */
export function addressHasChanged() {
  const before = entered;
  entered = location.href;
  return before !== entered;
}

let wanted = null;
let timer = null;
let since = 0;

/** Put an address into the bar: a new entry of the history for a leap, none for a step. */
export function showAddress(address, isLeap = false) {
  clearTimeout(timer);
  wanted = address;
  if (isLeap) write(true);
  // Browsers refuse addresses that change too often.
  else if (Date.now() - since >= BETWEEN) write(false);
  else timer = setTimeout(() => write(false), BETWEEN);
}

/** Forget an address that is to be written: something else is shown. */
export function dropAddress() {
  clearTimeout(timer);
  timer = null;
}

function write(isLeap) {
  clearTimeout(timer);
  timer = null;
  if (wanted === `${location.pathname}${location.search}${location.hash}`) return;
  since = Date.now();
  try {
    history[isLeap ? "pushState" : "replaceState"](null, "", wanted);
    entered = location.href;
  } catch {
    // The page works with an older address in the bar.
  }
}
