/* What the accessibility test asks of a page: faults as sentences. Run by page.evaluate. */
() => {
  const shown = (element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });

  /** [red, green, blue, alpha] of any CSS colour. */
  function channels(colour) {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = canvas.getImageData(0, 0, 1, 1).data;
    return [red, green, blue, alpha / 255];
  }
  const over = (top, below) => [0, 1, 2].map((i) => top[i] * top[3] + below[i] * (1 - top[3]));

  function background(element) {
    const layers = [];
    for (let one = element; one; one = one.parentElement) layers.push(channels(getComputedStyle(one).backgroundColor));
    return layers.reverse().reduce((below, layer) => over(layer, below), [255, 255, 255]);
  }
  function luminance(colour) {
    const [red, green, blue] = colour.map((value) => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  }
  function contrast(element) {
    const below = background(element);
    const [dark, light] = [luminance(over(channels(getComputedStyle(element).color), below)), luminance(below)].sort((a, b) => a - b);
    return (light + 0.05) / (dark + 0.05);
  }

  const faults = [];
  const count = (selector) => document.querySelectorAll(selector).length;
  if (count("h1") !== 1) faults.push(`${count("h1")} headings of level 1`);
  if (count("main") !== 1) faults.push(`${count("main")} main landmarks`);
  for (const field of document.querySelectorAll("input:not([type=hidden]), textarea, select")) {
    const named = field.labels?.length || field.ariaLabel || field.getAttribute("aria-labelledby");
    if (!named) faults.push(`no label: ${field.outerHTML.slice(0, 80)}`);
  }
  for (const control of document.querySelectorAll("a, button, summary")) {
    const name = control.ariaLabel || control.textContent.trim();
    if (shown(control) && !name) faults.push(`no name: ${control.outerHTML.slice(0, 80)}`);
  }
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const seen = new Set();
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    if (!texts.currentNode.data.trim() || seen.has(element) || !shown(element)) continue;
    seen.add(element);
    if (element.closest("script, style, template, svg[aria-hidden], :disabled, .visually-hidden, .skip")) continue;
    const ratio = contrast(element);
    if (ratio < 4.5) faults.push(`contrast ${ratio.toFixed(2)}: ${element.outerHTML.slice(0, 100)}`);
  }
  return faults;
};
