/* Dialogs, the question before dangerous steps, menus, and copying. One listener for all, also for
   what htmx brings later. */

import { copied } from "./clipboard.js";
import { tellOutcome } from "./http.js";
import { openDialog } from "./modal.js";

const confirmation = document.getElementById("confirm");

function askFirst(button) {
  const { confirm, title, text, label } = button.dataset;
  confirmation.querySelector("form").action = confirm;
  confirmation.querySelector("#confirm-title").textContent = title;
  confirmation.querySelector("#confirm-text").textContent = text;
  confirmation.querySelector("#confirm-go").textContent = label;
  confirmation.showModal();
}

function copyField(button) {
  const field = document.getElementById(button.dataset.copy);
  field.select();
  copied(button, field.value).catch(() => document.execCommand("copy")); // no clipboard API without HTTPS
}

document.addEventListener("click", (event) => {
  const target = event.target;
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (!menu.contains(target)) menu.open = false;
  }
  const button = target.closest("button");
  if (target instanceof HTMLDialogElement) target.close(); // the backdrop
  else if (button?.dataset.confirm) askFirst(button);
  else if (button?.dataset.dialog) openDialog(document.getElementById(button.dataset.dialog));
  else if (button?.dataset.close !== undefined) button.closest("dialog").close();
  else if (button?.dataset.copy) copyField(button);
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    menu.open = false;
    menu.querySelector("summary").focus();
  }
});

// A question that is written elsewhere is sent by the page of its conversation.
document.addEventListener("submit", (event) => {
  if (event.target.dataset.ask === undefined) return;
  const agent = event.target.querySelector("select").value;
  if (agent.startsWith("/")) event.target.action = agent;
  sessionStorage.setItem("ask", event.target.querySelector("textarea").value);
});

// On a phone the navigation is wider than the screen: show where one is.
document.querySelector(".nav [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });

// Requests of htmx that fail would fail in silence.
for (const name of ["htmx:responseError", "htmx:sendError"]) {
  document.addEventListener(name, ({ detail }) => tellOutcome(detail.xhr.status));
}
document.addEventListener("htmx:afterOnLoad", ({ detail }) => {
  if (detail.successful) tellOutcome(detail.xhr.status);
});
