/* A unit with the tutor at its side: the dock, what it reads, citations that are marked in the text, and the end. */

import { addressOf, sourceOf } from "./actions.js";

const dock = document.querySelector("dialog.dock");
const chat = document.getElementById("chat");
const question = document.getElementById("question");
const roomy = matchMedia("(min-width: 64rem)");
const END_SEEN = 1500; // ms

/** Beside the text where there is room, else a sheet over it. */
function openDock() {
  if (!dock.open) roomy.matches ? dock.show() : dock.showModal();
  if (roomy.matches || !chat.dataset.conversation) question.focus({ preventScroll: true }); // else a phone's keyboard hides the answer
}

function settle() {
  if (dock.open) dock.close();
  if (roomy.matches) dock.setAttribute("open", ""); // takes no focus
}

function reads(chosen) {
  chat.dataset.only = chosen.dataset.reads;
  for (const one of dock.querySelectorAll("[data-reads]")) one.setAttribute("aria-pressed", one === chosen);
  document.getElementById("reads-now").textContent = chosen.dataset.says;
}

function toPassage() {
  const passage = document.getElementById("passage");
  passage?.scrollIntoView({ block: "center" });
  passage?.focus({ preventScroll: true });
}

/** Into the text, when it is of the open document; to its unit, when it is of the course. False: it is of neither. */
function follow(address) {
  const id = address.pathname.match(/^\/documents\/([\w-]+)\/$/)?.[1];
  const unit = id && document.querySelector(`#units a[href$="/${id}/"]`);
  if (!unit) return false;
  if (!roomy.matches && dock.open) dock.close();
  if (unit.pathname === location.pathname) {
    htmx.ajax("GET", `${location.pathname}${address.search}`, { source: "#unit-text", target: "#unit-text", swap: "outerHTML" }).then(toPassage);
  } else {
    address.searchParams.set("conversation", chat.dataset.conversation);
    location.assign(`${unit.pathname}${address.search}#passage`);
  }
  return true;
}

// Before the chat's own listener, which would leave the text.
document.addEventListener("click", (event) => {
  const link = event.target.closest(".dock a.citation, .dock a[data-link]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const source = link.matches("[data-link]") ? link : sourceOf(link)?.querySelector("[data-link]");
  if (!source?.href || !follow(new URL(link === source ? source.href : addressOf(link, source)))) return;
  event.preventDefault();
  event.stopPropagation();
}, true);

if (dock) {
  settle();
  roomy.addEventListener("change", settle);
  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-tutor]")) openDock();
    const chosen = event.target.closest("[data-reads]");
    if (chosen) reads(chosen);
  });
  document.addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "k") return;
    event.preventDefault();
    openDock();
  });
  chat.addEventListener("met", ({ detail }) => history.replaceState(null, "", `?conversation=${detail}`));
  // A new conversation, or another one, was chosen in the sheet: there it goes on.
  if (!roomy.matches && /[?&](agent|conversation)=/.test(location.search) && !location.hash) dock.showModal();
}

if (location.hash === "#passage") toPassage();

/** Whoever sees the end for a moment has read it, unless they say otherwise. */
const end = document.getElementById("unit-end");
htmx.ajax("POST", end.querySelector("form").action, { source: end, values: { opened: "1" }, swap: "none" });
let waiting = 0;
const watch = new IntersectionObserver(([{ isIntersecting }]) => {
  clearTimeout(waiting);
  const form = end.querySelector('form[data-read="no"]:not([data-more])');
  if (!form) watch.disconnect();
  else if (isIntersecting) {
    waiting = setTimeout(() => {
      watch.disconnect();
      form.requestSubmit();
    }, END_SEEN);
  }
});
if (document.getElementById("unit-text")) watch.observe(end);
