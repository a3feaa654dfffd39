/* Ctrl/Cmd+K searches everything, but where it asks about the document that is open; arrows go from row to row.
   "/" leads to the page's own field, "?" tells the keys. */

import { openDialog } from "./modal.js";

const palette = document.getElementById("palette");
const field = document.getElementById("wanted");

document.addEventListener("keydown", (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "k" || document.querySelector("dialog#ask")) return;
  event.preventDefault();
  openDialog(palette);
  field.select();
});

const isWriting = ({ target }) => target.matches("input, textarea, select, [contenteditable]");

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || isWriting(event) || document.querySelector("dialog:modal")) return;
  const field = document.querySelector("#question, #search, #document-search");
  if (event.key === "?") openDialog(document.getElementById("shortcuts"));
  else if (event.key === "/" && field) field.focus();
  else return;
  event.preventDefault();
});

palette.addEventListener("keydown", (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const rows = [field, ...palette.querySelectorAll("#found a")];
  if (step) {
    event.preventDefault();
    rows[(rows.indexOf(document.activeElement) + step + rows.length) % rows.length].focus();
  } else if (event.key === "Enter" && document.activeElement === field) rows[1]?.click();
});
