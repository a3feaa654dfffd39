/* One answer on the page while it is written: sources, text, finished blocks, and how it ended. */

import { addressOf, nameUnsupported, withoutMarks } from "./actions.js";
import { enrich } from "./rich.js";

const clone = (id) => document.getElementById(id).content.firstElementChild.cloneNode(true);
const tableUrl = ({ message, n }) => `/messages/${message}/tables/${n}/`;
const readerUrl = ({ document: id, chunk, page }) =>
  `/documents/${id}/?chunk=${chunk}${page ? `&page=${page}` : ""}#passage`;
const letters = (text) => text.replace(/[\p{P}\p{S}\s]+/gu, "");

/** What follows a finished block in the text that it was made of. A block ends at a blank line, and its Markdown has at
    least the letters that it is read with; where two blank lines could be meant, its last words tell. */
function textAfter(block, text) {
  const read = letters(block);
  const gaps = [...text.matchAll(/\n\s*\n/g)].filter(({ index }) => letters(text.slice(0, index)).length >= read.length);
  const end = gaps.find(({ index }) => letters(text.slice(0, index)).endsWith(read.slice(-12))) ?? gaps[0];
  return end ? text.slice(end.index).trimStart() : "";
}

export function questionElement(text) {
  const element = clone("question-template");
  element.querySelector("[data-text]").textContent = text;
  return element;
}

/** As `chat.pages.transcript.page_of_support` has it; of a table how many rows it has, of another service's
    words nothing. */
function placeOf({ kind, page, page_label: label, row_count: rows }, labels) {
  if (kind === "foreign") return "";
  if (rows !== undefined) return `${rows} ${labels.rows}`;
  if (!page) return "";
  return `${labels.page} ${page}${label ? ` (${labels.printed} ${label})` : ""}`;
}

function sourceElement(source, labels) {
  const element = clone("source-template");
  element.dataset.source = source.n;
  element.querySelector("[data-n]").textContent = source.n;
  element.querySelector("[data-link]").href = source.kind ? tableUrl(source) : readerUrl(source);
  element.querySelector("[data-page]").textContent = placeOf(source, labels);
  element.querySelector("[data-path]").textContent = (source.heading_path ?? []).filter((part) => part !== source.title).join(" › ");
  element.querySelector("[data-snippet]").textContent = withoutMarks(source.snippet);
  return element;
}

/** Sources of one document stand together, in the order of their first. */
function documentElements(sources, labels) {
  const found = new Map();
  for (const source of sources) {
    const key = source.document ?? `table ${source.n}`;
    if (!found.has(key)) {
      const element = clone("source-document-template");
      element.dataset.document = source.document ?? "";
      element.querySelector("[data-title]").textContent = source.title;
      element.querySelector(`[data-tier="${source.corpus_type ?? source.kind}"]`).hidden = false;
      found.set(key, element);
    }
    found.get(key).querySelector("ol").append(sourceElement(source, labels));
  }
  return found.values();
}

export class AnswerView {
  /** `element`: an answer of the server's that is still being written. What it shows stays until its events come. */
  constructor(labels, element) {
    this.labels = labels;
    this.element = element ?? clone("answer-template");
    this.prose = this.element.querySelector("[data-prose]");
    this.attempt = 0;
    if (element) this.prose.style.minBlockSize = `${this.prose.offsetHeight}px`; // nothing below jumps meanwhile
    else this.#clear();
  }

  /** Text that no finished block holds yet; what follows a fence is code from its first line. */
  #await(text) {
    this.text = text;
    const [, before, , code] = /^([^]*?)^ {0,3}```([^\n]*)\n?([^]*)$/m.exec(text) ?? [null, text];
    this.pending.textContent = before;
    this.code = code === undefined ? null : document.createElement("pre");
    if (!this.code) return;
    this.code.textContent = code.replace(/\n {0,3}```\s*$/, "");
    this.pending.append(this.code);
  }

  #clear() {
    this.text = "";
    this.code = null;
    this.prose.replaceChildren();
    this.pending = document.createElement("div");
    this.pending.className = "pending";
    this.prose.append(this.pending);
  }

  /** A new attempt replaces what the one before wrote. */
  #enter(attempt) {
    if (attempt <= this.attempt) return;
    this.attempt = attempt;
    this.#clear();
  }

  name(message) {
    this.element.dataset.message = message;
    this.element.id = `m-${message}`;
  }

  sources({ attempt, confidence, message, sources, state }) {
    this.#enter(attempt);
    const list = this.element.querySelector("[data-sources]");
    list.hidden = !sources.length;
    list.querySelector("ol").replaceChildren(...documentElements(sources.map((one) => ({ ...one, message })), this.labels));
    this.confidence = confidence;
    this.#state(state, ".marks");
  }

  /** What is shown of an answer that rests so far on documents; the ways on only at its end. */
  #state(state, within = "") {
    for (const element of this.element.querySelectorAll(`${within} [data-states]`)) {
      const { states, confidence } = element.dataset;
      element.hidden = states !== state || (confidence !== undefined && confidence !== this.confidence);
    }
  }

  token({ token, attempt }) {
    this.#enter(attempt);
    this.text += token;
    if (this.code) this.#await(this.text);
    else if (token.includes("`") && /^ {0,3}```/m.test(this.text)) this.#await(this.text);
    else this.pending.append(token);
  }

  /** A finished block takes the place of its text. What already follows it stays, as text. */
  html({ block, html }) {
    let finished = this.prose.querySelector(`:scope > [data-block="${block}"]`);
    if (!finished) {
      finished = document.createElement("div");
      finished.dataset.block = block;
      this.pending.before(finished);
    }
    finished.innerHTML = html; // sanitised by the server (chat.markdown)
    this.#await(textAfter(finished.textContent, this.text));
    enrich(finished);
  }

  /** The sentence behind each citation, by its number and in the order of each number's. */
  #mark(citations) {
    const seen = {};
    const placed = new Set(); // the sources that are told with page and place of the first sentence that is cited of them
    for (const link of this.prose.querySelectorAll("a.citation")) {
      const { n } = link.dataset;
      seen[n] = (seen[n] ?? -1) + 1;
      const behind = citations.filter((one) => String(one.n) === n)[seen[n]];
      link.classList.toggle("unsupported", behind?.text === null);
      if (!behind?.text) continue;
      link.dataset.quote = behind.text;
      if (behind.end) link.dataset.span = `${behind.start}-${behind.end}`;
      this.#place(link, behind, placed);
    }
    nameUnsupported(this.prose);
  }

  #place(link, behind, placed) {
    const { n, span } = link.dataset;
    if (behind.page) link.dataset.place = placeOf(behind, this.labels);
    const source = this.element.querySelector(`[data-source="${n}"]`);
    if (source && !placed.has(n)) {
      if (behind.page) source.querySelector("[data-page]").textContent = link.dataset.place;
      const title = source.querySelector("[data-link]");
      if (span && title.href) title.href = addressOf(link, title);
      source.querySelector("[data-snippet]").textContent = withoutMarks(behind.text);
    }
    placed.add(n);
  }

  done({ status, usage, cited, citations, state }) {
    this.#settle();
    this.#mark(citations ?? []);
    if (this.prose.querySelector(":scope > [data-block]")) this.pending.remove(); // all of it is in blocks by now
    for (const n of cited || []) this.element.querySelector(`[data-source="${n}"]`)?.classList.add("cited");
    this.element.querySelector("[data-stopped]").hidden = status !== "stopped";
    this.#state(this.prose.textContent.trim() ? state : ""); // "": nothing was answered
    const total = usage?.total_tokens;
    this.element.querySelector("[data-usage]").textContent = total ? `${total} ${this.labels.tokens}` : "";
  }

  error(detail) {
    this.#settle();
    const failure = this.element.querySelector("[data-failure]");
    failure.querySelector("[data-detail]").textContent = detail;
    failure.hidden = false;
  }

  /** It may have gone on without this page, so it is to be seen again rather than asked again. */
  unreachable() {
    this.error(this.labels.offline);
    this.element.querySelector("[data-failure] [data-retry]").hidden = true;
    this.element.querySelector("[data-reload]").hidden = false;
  }

  #settle() {
    this.prose.removeAttribute("aria-busy");
    this.prose.style.minBlockSize = "";
    this.element.classList.add("settled");
    this.element.querySelector("[data-actions]").hidden = !this.element.dataset.message;
  }
}
