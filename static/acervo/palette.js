/* Ctrl/Cmd+K searches everything, but where it asks about the document that is open; arrows go from row to row.
   "/" leads to the page's own field, "?" tells the keys. */

import { openDialog } from "./modal.js";

const palette = document.getElementById("palette");
const field = document.getElementById("wanted");
const found = document.getElementById("found");
let isHasty = false; // Enter came before what it is about

document.addEventListener("keydown", (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "k" || document.querySelector("dialog#ask, dialog.dock")) return;
  event.preventDefault();
  openDialog(palette);
  field.select();
});

const isWriting = ({ target }) => target.matches("input, textarea, select, [contenteditable]");

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || isWriting(event) || document.querySelector("dialog:modal")) return;
  const own = document.querySelector("#question, #search, #document-search");
  if (event.key === "?") openDialog(document.getElementById("shortcuts"));
  else if (event.key === "/" && own) own.focus();
  else return;
  event.preventDefault();
});

palette.addEventListener("keydown", (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const rows = [field, ...found.querySelectorAll("a")];
  if (step) {
    event.preventDefault();
    rows[(rows.indexOf(document.activeElement) + step + rows.length) % rows.length].focus();
  } else if (event.key === "Enter" && document.activeElement === field) openFirst();
});

/** Of what the field asks for, which may still be on its way. */
function openFirst() {
  isHasty = found.firstElementChild?.dataset.wanted !== field.value.trim();
  if (!isHasty) found.querySelector("a")?.click();
}

field.addEventListener("input", () => { isHasty = false; });
palette.addEventListener("htmx:afterSwap", () => isHasty && openFirst());
for (const name of ["htmx:responseError", "htmx:sendError"]) {
  palette.addEventListener(name, () => { found.textContent = palette.dataset.failed; });
}
