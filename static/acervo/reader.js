/* The reader, on its own page or in the panel beside a chat: zoom, keys, what is selected, the place in the contents. */

import { openDialog } from "./modal.js";
import { enrich } from "./rich.js";

const reader = () => document.getElementById("reader");
const asking = document.getElementById("ask");

/** What was brought: the cited sentence in sight, the buttons that need a script, the contents folded on a phone. */
export function settleReader() {
  const root = reader();
  if (!root) return;
  for (const hidden of root.querySelectorAll(".zoom")) hidden.hidden = false;
  const contents = root.querySelector(".contents details");
  if (contents && matchMedia("(max-width: 56rem)").matches) contents.open = false;
  root.querySelector(".contents [aria-current]")?.scrollIntoView({ block: "nearest" });
  followHeadings(root);
  enrich(root);
}

export function showPassage() {
  const passage = document.getElementById("passage");
  passage?.scrollIntoView({ block: "center" });
  passage?.focus({ preventScroll: true });
}

/** Of a text, the entry of the contents whose heading was scrolled past last. */
function followHeadings(root) {
  const links = new Map();
  for (const link of root.querySelectorAll(".contents a[href*='#h-']")) links.set(link.hash.slice(1), link);
  const watcher = new IntersectionObserver((entries) => {
    const seen = entries.find(({ isIntersecting, target }) => isIntersecting && links.has(target.id));
    if (!seen) return;
    for (const link of links.values()) link.removeAttribute("aria-current");
    links.get(seen.target.id).setAttribute("aria-current", "true");
  }, { rootMargin: "-10% 0px -75% 0px" });
  for (const heading of root.querySelectorAll("[id^='h-']")) watcher.observe(heading);
}

function zoom(step) {
  const figure = reader().querySelector(".printed");
  const level = Math.min(3, Math.max(0, Number(figure.dataset.zoom ?? 0) + step));
  figure.dataset.zoom = level;
  figure.querySelector("img").sizes = `${[48, 72, 96, 144][level]}rem`;
}

/* What is selected can be asked about. */
let about = null;

function forgetAbout() {
  about?.remove();
  about = null;
}

function offerAbout() {
  const selection = getSelection();
  const said = selection.toString().replace(/\s+/g, " ").trim();
  forgetAbout();
  const root = selection.anchorNode?.parentElement?.closest("#reader .reading, #reader .printed");
  if (!root || said.length < 8) return;
  const { bottom, left } = selection.getRangeAt(0).getBoundingClientRect();
  about = document.createElement("button");
  about.type = "button";
  about.className = "button primary small about";
  about.textContent = reader().dataset.about;
  about.style.top = `${Math.min(bottom + 6, innerHeight - 50)}px`;
  about.style.left = `${Math.max(8, Math.min(left, innerWidth - 200))}px`;
  about.addEventListener("click", () => {
    forgetAbout();
    askAbout(said.length > 600 ? `${said.slice(0, 600)}…` : said);
  });
  (root.closest("dialog") ?? document.body).append(about);
}

/** In the chat the question is written below; elsewhere in the dialog that asks about the document. */
function askAbout(said) {
  const field = document.getElementById("question") ?? document.getElementById("ask-question");
  if (!field && asking) {
    asking.addEventListener("htmx:afterSwap", () => askAbout(said), { once: true });
    openDialog(asking);
    return;
  }
  if (asking && !document.getElementById("question")) openDialog(asking);
  document.dispatchEvent(new CustomEvent("asked-about"));
  field.value = `«${said}»\n${field.value}`;
  field.focus();
  field.setSelectionRange(field.value.length, field.value.length);
}

document.addEventListener("pointerup", () => setTimeout(offerAbout));
document.addEventListener("keyup", (event) => event.shiftKey && offerAbout());
document.addEventListener("pointerdown", (event) => event.target !== about && forgetAbout());

document.addEventListener("click", (event) => {
  const step = event.target.closest("[data-zoom]:is(button)")?.dataset.zoom;
  if (step) zoom(Number(step));
});

document.addEventListener("keydown", (event) => {
  if (asking && (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
    event.preventDefault();
    openDialog(asking);
    return;
  }
  const turn = { ArrowLeft: "prev", ArrowRight: "next" }[event.key];
  if (!turn || event.altKey || event.ctrlKey || event.metaKey || event.target.closest("input, textarea, select, .print-frame")) return;
  reader()?.querySelector(`.reader-nav [rel="${turn}"]`)?.click();
});

document.addEventListener("htmx:afterSwap", (event) => {
  if (event.target === asking) asking.querySelector("[autofocus]")?.focus();
});

settleReader();
if (location.hash === "#passage") showPassage();
