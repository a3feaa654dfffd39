/* The reader: Ctrl/Cmd+K asks about the document; the cited passage gets the focus. */

import { openDialog } from "./modal.js";

const dialog = document.getElementById("ask");

document.addEventListener("keydown", (event) => {
  if (!dialog || !(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "k") return;
  event.preventDefault();
  openDialog(dialog);
});

document.addEventListener("htmx:afterSwap", (event) => {
  if (event.target === dialog) dialog.querySelector("[autofocus]")?.focus();
});

const passage = document.getElementById("passage");
if (passage && location.hash === "#passage") {
  passage.scrollIntoView({ block: "center" });
  passage.focus({ preventScroll: true });
}

const contents = document.querySelector(".contents details");
if (contents && matchMedia("(max-width: 56rem)").matches) contents.open = false;
