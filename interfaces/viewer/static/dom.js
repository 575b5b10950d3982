// Creating elements. Text stays text: nothing here parses markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}

export function element(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

export function drawing(name, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

/** Return a button that may be idle: then it does nothing, but unlike a disabled one keeps the focus. */
export function idleButton(text, label, act) {
  return element("button", { type: "button", "aria-label": label, title: label, onclick: (event) => {
    if (event.currentTarget.getAttribute("aria-disabled") !== "true") act();
  } }, text);
}

export function setIdle(button, isIdle) {
  if (isIdle) button.setAttribute("aria-disabled", "true");
  else button.removeAttribute("aria-disabled");
}

/** Replace the children of a node if `key` has changed since the last call. */
export function renew(node, key, make) {
  const text = JSON.stringify(key);
  if (node.dataset.key === text) return;
  node.dataset.key = text;
  node.replaceChildren(...[make()].flat());
}

/** Show a link, made by `make`, for each of these; one that is there and unchanged stays, or a click on it would be lost. */
export function keepLinks(node, wanted, address, make) {
  const addresses = new Set(wanted.map(address));
  for (const link of [...node.children]) if (!addresses.has(link.href)) link.remove();
  let next = node.firstElementChild;
  for (const what of wanted) {
    const key = JSON.stringify(what);
    const known = next?.href === address(what) ? next : null;
    next = known ? known.nextElementSibling : next;
    if (known && (known.dataset.key ?? key) === key) known.dataset.key = key;
    else {
      known?.remove();
      const link = make(what);
      link.dataset.key = key;
      node.insertBefore(link, next);
    }
  }
}

/** Let a place that `waits` for content keep its height meanwhile, so that what is below it does not move. */
export function keepHeight(place, waits) {
  place.classList.toggle("awaits", waits);
  place.style.setProperty("--height", waits ? `${place.offsetHeight}px` : "0px");
}

/** Return a stone in the colour of its player, to stand before a word. */
export function stone(colour) {
  return element("span", { class: `stone ${colour}`, "aria-hidden": "true" });
}

export function plural(number, noun) {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/** Return the row of headings of a table; above a column without one is an empty cell, not a heading. */
export function headings(texts) {
  return element("tr", {}, ...texts.map((text) => (text ? element("th", { scope: "col" }, text) : element("td"))));
}
