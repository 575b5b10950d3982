// What is hard to see, to hit or to reach on a page, as sentences. Run by test_accessibility.py.
() => {
  const problems = [];
  const name = (node) => `${node.tagName.toLowerCase()}.${node.getAttribute("class") || ""} `
    + `"${(node.textContent || node.getAttribute("aria-label") || "").trim().slice(0, 30)}"`;
  const numbers = (colour) => {
    const found = colour.match(/[\d.]+/g).map(Number);
    return { rgb: found.slice(0, 3), alpha: found[3] ?? 1 };
  };
  const over = (above, alpha, below) => above.map((value, index) => alpha * value + (1 - alpha) * below[index]);
  const light = (rgb) => {
    const [r, g, b] = rgb.map((value) => value / 255).map((value) =>
      value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (one, other) => {
    const [low, high] = [light(one), light(other)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  const ground = (node) => {
    const layers = [];
    for (let at = node; at; at = at.parentElement) layers.unshift(numbers(getComputedStyle(at).backgroundColor));
    return layers.reduce((below, { rgb, alpha }) => over(rgb, alpha, below), [255, 255, 255]);
  };
  const isShown = (node) => node.checkVisibility({ opacityProperty: true, visibilityProperty: true })
    && node.getBoundingClientRect().width > 0;

  // Text: 4.5 to 1, or 3 to 1 where it is large.
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !isShown(node) || node.closest(":disabled, [aria-disabled=true], noscript, option")) continue;
    const style = getComputedStyle(node);
    const isDrawn = node.namespaceURI.endsWith("svg");
    if (isDrawn && node.closest(".vertex")) continue;
    const { rgb, alpha } = numbers(isDrawn ? style.fill : style.color);
    const below = ground(isDrawn ? node.ownerSVGElement.parentElement : node);
    const size = parseFloat(style.fontSize);
    const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    const found = contrast(over(rgb, alpha, below), below);
    if (found < (isLarge ? 3 : 4.5)) problems.push(`contrast ${found.toFixed(2)}: ${name(node)}`);
  }

  // What can be clicked: 24 pixels both ways, or a link within a sentence.
  const controls = [...document.querySelectorAll("a[href], button, input, select, textarea, summary, [role=button]")];
  for (const node of controls.filter(isShown)) {
    const { width, height } = (node.querySelector(":scope > .cell") || node).getBoundingClientRect();
    const isInSentence = node.matches("a") && getComputedStyle(node).display === "inline";
    if (!isInSentence && (width < 23.9 || height < 23.9)) {
      problems.push(`target ${width.toFixed(1)} x ${height.toFixed(1)}: ${name(node)}`);
    }
  }

  // The ring of the focus: there, whole, and 3 to 1.
  for (const node of controls.filter((each) => isShown(each) && !each.disabled && !each.closest("svg"))) {
    node.focus({ focusVisible: true });
    const style = getComputedStyle(node);
    const wide = parseFloat(style.outlineWidth);
    if (style.outlineStyle === "none" || wide < 2) {
      problems.push(`no ring: ${name(node)}`);
      continue;
    }
    const found = contrast(numbers(style.outlineColor).rgb, ground(node.parentElement));
    if (found < 3) problems.push(`ring ${found.toFixed(2)}: ${name(node)}`);
    const out = wide + parseFloat(style.outlineOffset);
    const box = node.getBoundingClientRect();
    for (let at = node.parentElement; at && at !== document.documentElement; at = at.parentElement) {
      if (getComputedStyle(at).overflowX === "visible") continue;
      const hole = at.getBoundingClientRect();
      const [left, top] = [hole.left + at.clientLeft, hole.top + at.clientTop];
      const cut = box.left - out < left - 0.6 || box.right + out > left + at.clientWidth + 0.6
        || box.top - out < top - 0.6 || box.bottom + out > top + at.clientHeight + 0.6;
      if (cut) problems.push(`ring cut off by ${name(at).slice(0, 40)}: ${name(node)}`);
    }
  }
  if (document.documentElement.scrollWidth > innerWidth) problems.push(`wider than the window: ${document.documentElement.scrollWidth}`);
  if (document.querySelectorAll("h1").length !== 1) problems.push("not one first heading");
  const ids = [...document.querySelectorAll("[id]")].map(({ id }) => id);
  if (ids.length !== new Set(ids).size) problems.push("an id twice");
  return [...new Set(problems)];
}
