/* What one can do with answers: copy, rate, follow a citation, see its passage. For answers of the server, too. */

import { copied } from "./clipboard.js";
import { post, tellOutcome } from "./http.js";
import { enrich } from "./rich.js";

export const sourceOf = (citation) =>
  citation.closest(".answer")?.querySelector(`[data-source="${CSS.escape(citation.dataset.n)}"]`);

/** As `corpora.templatetags.documents.without_marks`. */
export const withoutMarks = (text) =>
  text
    .replace(/^[ \t]{0,3}(?:#{1,6}|>|[-*+])[ \t]+|`{1,3}|\*\*|^[|\s:-]{3,200}$/gm, "")
    .replace(/^[ \t]{0,3}\|([^\n]{1,2000})\|[ \t]{0,3}$/gm, (_row, cells) => cells.split("|").map((cell) => cell.trim()).filter(Boolean).join(" · "))
    .trim();

/** Where the reader marks the very sentence, if it is known; else the passage alone. */
export function addressOf({ dataset: { span } }, link) {
  const address = new URL(link.href);
  if (span) address.searchParams.set("mark", span);
  else address.searchParams.delete("mark");
  return address.href;
}

/** What nothing in its passage supports says so. */
export function nameUnsupported(root) {
  const { unsupported } = document.getElementById("chat")?.dataset ?? {};
  for (const citation of root.querySelectorAll("a.citation.unsupported")) citation.title = unsupported ?? "";
}

/** Whether the server has it; where not, the page says that something went wrong. */
async function isRated(answer, said) {
  const response = await post(`/api/messages/${answer.dataset.message}/feedback/`, said).catch(() => null);
  tellOutcome(response?.status ?? 0);
  return Boolean(response?.ok);
}

async function rate(button) {
  const answer = button.closest(".answer");
  if (!(await isRated(answer, { rating: Number(button.dataset.rate) }))) return;
  for (const other of answer.querySelectorAll("[data-rate]")) other.setAttribute("aria-pressed", other === button);
  const reason = answer.querySelector("[data-reason]");
  reason.hidden = button.dataset.rate !== "-1";
  if (!reason.hidden) reason.comment.focus();
}

/** Why an answer is bad. */
document.addEventListener("submit", async (event) => {
  if (event.target.dataset.reason === undefined) return;
  event.preventDefault();
  const { comment } = event.target;
  if (!(await isRated(event.target.closest(".answer"), { rating: -1, comment: comment.value }))) return;
  const button = event.target.querySelector("button");
  button.querySelector("span").textContent = button.dataset.done;
  button.disabled = comment.disabled = true;
});

document.addEventListener("click", (event) => {
  const citation = event.target.closest("a.citation");
  const source = event.target.closest(".source [data-link][href]");
  const button = event.target.closest("button");
  if (!citation && tapped) hide();
  if (citation) {
    event.preventDefault();
    const link = sourceOf(citation)?.querySelector("[data-link]");
    if (!link?.href || (withoutHover.matches && event.detail && tapped !== citation)) reveal(citation, link);
    else follow(citation, link);
  } else if (source && !(event.ctrlKey || event.metaKey || event.shiftKey)) {
    event.preventDefault();
    beside(source.href, source, []);
  } else if (button?.dataset.rate) rate(button);
  else if (button?.dataset.copyAnswer !== undefined) {
    copied(button, button.closest(".answer").querySelector("[data-prose]").innerText).catch(() => {});
  }
});

/** Into the panel beside the conversation, which is fetched when it is needed first. */
const beside = async (...what) => (await import("./panel.js")).openPanel(...what);

function follow(citation, link) {
  hide();
  const others = [...citation.closest("[data-prose]").querySelectorAll("a.citation:not(.unsupported)")];
  beside(addressOf(citation, link), citation, others);
}

document.addEventListener("follow", ({ target }) => follow(target, sourceOf(target).querySelector("[data-link]")));

const tooltip = document.getElementById("tooltip");
const withoutHover = matchMedia("(hover: none)");
let tapped = null; // the citation that a finger has touched once: what it says is read before the chat is left

/** Where nothing is to be opened, that is all there is: its document was deleted. */
function reveal(citation, link) {
  show(citation, link?.href ? ` ${document.getElementById("chat")?.dataset.tap ?? ""}` : "");
  const source = sourceOf(citation);
  source?.closest(".sources > ol").scrollTo({ left: source.closest(".source-document").offsetLeft - 16 });
  tapped = citation;
}

function show(citation, advice = "") {
  const source = sourceOf(citation);
  if (!source) return;
  source.classList.add("pointed");
  const title = source.closest(".source-document").querySelector("[data-title]")?.textContent ?? "";
  const page = citation.dataset.place ?? source.querySelector("[data-page]").textContent;
  const said = withoutMarks(citation.dataset.quote ?? source.querySelector("[data-snippet]").textContent);
  tooltip.style.left = 0; // wherever it was, longer words would make the page of a phone wider
  tooltip.textContent = (citation.title || `${title}${page ? `, ${page}` : ""}${said ? `: ${said}` : ""}`) + advice;
  tooltip.hidden = false;
  place(citation);
  citation.setAttribute("aria-describedby", "tooltip");
}

function place(citation) {
  const { top, bottom, left } = citation.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = tooltip;
  const above = top - height - 8;
  tooltip.style.left = `${Math.max(8, Math.min(left, innerWidth - width - 8))}px`;
  tooltip.style.top = `${above > 8 ? above : bottom + 8}px`;
}

function hide() {
  tapped = null;
  tooltip.hidden = true;
  for (const source of document.querySelectorAll(".source.pointed")) source.classList.remove("pointed");
}

for (const [enter, leave] of [["mouseover", "mouseout"], ["focusin", "focusout"]]) {
  document.addEventListener(enter, (event) => event.target.closest("a.citation") && show(event.target.closest("a.citation")));
  document.addEventListener(leave, (event) => event.target.closest("a.citation") && hide());
}
document.addEventListener("keydown", (event) => event.key === "Escape" && hide());
nameUnsupported(document);
enrich(document);
document.addEventListener("htmx:afterSettle", () => {
  nameUnsupported(document);
  enrich(document);
});
