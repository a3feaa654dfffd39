/* A document beside the conversation, which stays where it is: what a citation or a source leads to opens in a panel,
   on a phone in a sheet. */

import { settleReader, showPassage } from "./reader.js";

const panel = document.getElementById("panel");
const body = document.getElementById("panel-body");
const [before, after, counter, whole] = ["before", "after", "count", "whole"].map((name) => panel.querySelector(`[data-${name}]`));
const narrow = matchMedia("(max-width: 60rem)");

const style = document.createElement("link");
style.rel = "stylesheet";
style.href = panel.dataset.style;
const styled = new Promise((resolve) => (style.onload = style.onerror = resolve));
document.head.append(style);

let opener = null; // what was followed, and gets the focus back
let loading = null;
let around = []; // the citations of the answer, to go through

/** What changes beside it, the reader's line stays at its height. */
function inPlace(element, change) {
  const top = element?.getBoundingClientRect().top;
  change();
  if (element?.isConnected && !narrow.matches) scrollBy({ top: element.getBoundingClientRect().top - top, behavior: "instant" });
}

async function load(address) {
  whole.href = address;
  loading?.abort();
  const { signal } = (loading = new AbortController());
  body.setAttribute("aria-busy", "true");
  const response = await fetch(address, { headers: { "HX-Request": "true" }, signal }).catch((error) => error);
  const isFound = response.status === 200 && !response.redirected;
  const fragment = isFound && (await response.text().catch(() => null));
  await styled; // what is scrolled to before would not stay there
  if (signal.aborted) return; // another one was followed meanwhile
  if (!fragment) return void location.assign(address); // which says why
  body.innerHTML = fragment; // our own page: templates escape what is a document's
  body.removeAttribute("aria-busy");
  panel.querySelector("[data-title]").textContent = document.getElementById("reader")?.dataset.title ?? "";
  body.scrollTop = 0;
  settleReader();
  if (address.includes("#passage")) showPassage();
}

export function openPanel(address, from, citations = []) {
  opener = from;
  around = citations;
  if (!panel.open) {
    inPlace(from, () => (narrow.matches ? panel.showModal() : panel.show()));
    if (narrow.matches) history.pushState({ panel: true }, "");
  }
  count();
  return load(address);
}

function count() {
  const at = around.indexOf(opener);
  counter.textContent = at < 0 ? "" : `${at + 1} / ${around.length}`;
  before.disabled = at <= 0;
  after.disabled = at < 0 || at + 1 >= around.length;
  before.hidden = after.hidden = around.length < 2;
  for (const one of document.querySelectorAll("a.citation[aria-current]")) one.removeAttribute("aria-current");
  if (at >= 0) opener.setAttribute("aria-current", "true");
}

const step = (by) => around[around.indexOf(opener) + by]?.dispatchEvent(new CustomEvent("follow", { bubbles: true }));

function close() {
  const back = opener;
  inPlace(back, () => panel.close());
  around = [];
  opener = null;
  count();
  back?.focus({ preventScroll: true });
}

panel.addEventListener("click", (event) => {
  if (event.target.closest("[data-shut]")) close();
  else if (event.target.closest("[data-before]")) step(-1);
  else if (event.target.closest("[data-after]")) step(1);
  const link = event.target.closest("#panel-body a[href]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const { pathname, origin, href } = link;
  if (origin !== location.origin || !pathname.startsWith("/documents/")) return;
  event.preventDefault();
  load(href);
});

panel.addEventListener("submit", (event) => {
  if (event.target.method !== "get") return;
  event.preventDefault();
  load(`${event.target.action}?${new URLSearchParams(new FormData(event.target))}`);
});

panel.addEventListener("cancel", (event) => {
  event.preventDefault();
  close();
});
addEventListener("popstate", () => panel.open && narrow.matches && close());
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && panel.open && !document.querySelector("dialog:modal")) close();
});
document.addEventListener("asked-about", () => panel.open && narrow.matches && close());
