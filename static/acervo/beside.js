/* The list of conversations: beside the chat where there is room, unless it was closed; else a drawer. */

const beside = document.getElementById("beside");
const roomy = matchMedia("(min-width: 80rem)");

function tell() {
  for (const one of document.querySelectorAll("[data-beside]")) one.setAttribute("aria-expanded", beside.open);
}

function settle() {
  beside.close();
  beside.toggleAttribute("open", roomy.matches && localStorage.getItem("beside") !== "closed"); // takes no focus
  tell();
}

function toggle() {
  if (roomy.matches) {
    localStorage.setItem("beside", beside.open ? "closed" : "open");
    settle();
  } else {
    if (beside.open) beside.close();
    else beside.showModal();
    tell();
  }
}

document.addEventListener("click", (event) => event.target.closest("[data-beside]") && toggle());
if (beside) { // not where the chat stands beside a text
  beside.addEventListener("close", tell);
  roomy.addEventListener("change", settle);
  settle();
}

/** A conversation has begun on this page. */
export function listAnew(conversation) {
  tell();
  htmx.ajax("GET", `/conversations/list/?current=${conversation}`, { source: beside, target: beside.querySelector("nav"), swap: "innerHTML" });
}
