/* What libraries set, fetched where a page has it: code in colours, formulas. Code is copied, and scrolled by keys. */

const LONGEST = 20_000; // characters that are coloured

function copyButton(code) {
  const { copy, copied } = document.body.dataset;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "button quiet small copy-code"; // its word is drawn by the style sheet: it is none of the answer's
  button.ariaLabel = button.dataset.label = copy;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(code.textContent).catch(() => {});
    button.dataset.label = copied;
    setTimeout(() => { button.dataset.label = copy; }, 2000);
  });
  return button;
}

async function colour(code) {
  const text = code.textContent;
  if (text.length > LONGEST || code.querySelector("mark")) return;
  const { default: library } = await import("../vendor/highlight.js");
  const language = /language-(\S+)/.exec(code.className)?.[1];
  if (language ? !library.getLanguage(language) : !("guess" in code.dataset)) return;
  const set = language ? library.highlight(text, { language, ignoreIllegals: true }) : library.highlightAuto(text);
  if ((language || set.relevance > 8) && code.textContent === text) code.innerHTML = set.value; // it escapes the text
}

async function setFormula(element) {
  await import("../vendor/katex.js");
  const displayMode = element.classList.contains("block");
  globalThis.katex.render(element.textContent, element, { output: "mathml", displayMode, throwOnError: false, maxExpand: 100, maxSize: 20 });
}

export function enrich(root) {
  for (const block of root.querySelectorAll("pre:not([data-set])")) {
    block.dataset.set = "";
    block.tabIndex = 0;
    const code = block.querySelector("code") ?? block;
    if (code !== block || "guess" in block.dataset) colour(code);
    block.before(copyButton(code));
  }
  for (const formula of root.querySelectorAll(".math:not([data-set])")) {
    formula.dataset.set = "";
    setFormula(formula).catch(() => {}); // what is no TeX stays as it was written
  }
}
