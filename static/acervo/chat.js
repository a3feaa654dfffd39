/* The conversation: asks, and follows every answer that is being written, whoever has asked for it and wherever. */

import "./actions.js";
import { AnswerView, questionElement } from "./answer.js";
import { listAnew } from "./beside.js";
import { Following, Refused } from "./follow.js";
import { post, problemOf } from "./http.js";
import { keepPlace, restorePlace, settlePlace } from "./place.js";

const NEAR = 160; // px below the window's end that still count as reading along

const chat = document.getElementById("chat");
const labels = chat.dataset;
const isDocked = labels.docked !== undefined; // beside a text, which has the page's address and its scrolling
const transcript = document.getElementById("transcript");
const composer = document.getElementById("composer");
const question = document.getElementById("question");
const [send, stop, stage] = ["send", "stop", "stage"].map((id) => document.getElementById(id));
const tabs = new BroadcastChannel("conversations"); // says in which one a question was asked

const runs = new Set(); // the answers that are being written: {view, following, stage, stopping, asked}

const hidden = (view) => view.prose.getBoundingClientRect().bottom - composer.getBoundingClientRect().top;
const topOf = (element) => element.getBoundingClientRect().top;
const lastAnswer = () => [...transcript.querySelectorAll(".answer")].at(-1);
const isPointed = () => transcript.querySelector(":is(a, button):hover") !== null; // it is not moved from under the pointer

function lastQuestionToTop() {
  const last = [...transcript.querySelectorAll(".question")].at(-1);
  if (last && isDocked) chat.scrollTop += topOf(last) - topOf(chat);
  else last?.scrollIntoView();
}

function show(run) {
  const ongoing = runs.size > 0;
  send.hidden = ongoing;
  stop.hidden = !ongoing;
  stage.textContent = run.stage;
  stage.classList.toggle("visually-hidden", !ongoing); // how it ended stands in the answer; this says it aloud
}

/** The question is stored: the page's address, and every other tab of its conversation, may know. */
function meet(run, { headers }) {
  const conversation = headers.get("X-Conversation");
  run.following.message = headers.get("X-Message");
  run.view.name(run.following.message);
  if (run.stopping) requestStop(run);
  labels.conversation = conversation;
  if (isDocked) chat.dispatchEvent(new CustomEvent("met", { detail: conversation }));
  else if (!location.pathname.startsWith("/conversations/")) history.replaceState(null, "", `/conversations/${conversation}/`);
  tabs.postMessage(conversation);
}

const handlers = {
  sources(run, data) {
    run.view.sources(data);
    run.stage = labels.generating;
  },
  status(run, data) {
    run.stage = data.source ? labels.callingSource.replace("{source}", () => data.source) : labels[data.stage] || run.stage;
  },
  token(run, data) { run.view.token(data); },
  html(run, data) { run.view.html(data); },
  done(run, data) {
    run.view.done(data);
    run.stage = data.status === "stopped" ? labels.stopped : labels.ready;
  },
  error(run, data) {
    run.view.error(data.detail || labels.failed);
    run.stage = "";
    if (data.code === "interrupted") showKept(run);
  },
};

/** Of an answer whose writer died, the last two seconds may have been told but not kept. */
function showKept({ view, following }) {
  htmx.ajax("GET", `/messages/${following.message}/`, { source: view.element, target: view.element, swap: "outerHTML" });
}

/** One after the other, as they were told: sources first, also for whoever watches the page change. */
async function take(run, batch) {
  const follows = hidden(run.view) < NEAR; // not when the reader has scrolled back
  for (const { event, data } of batch) {
    handlers[event]?.(run, JSON.parse(data));
    await null;
  }
  show(run);
  if (follows && hidden(run.view) > 0) (isDocked ? chat : window).scrollBy(0, hidden(run.view));
}

/** To its end: where it fell silent, it is taken up again, and the page says so meanwhile. */
async function follow(run, ask) {
  runs.add(run);
  show(run);
  const lost = () => { stage.textContent = labels.reconnecting; };
  try {
    for await (const batch of run.following.batches(ask, lost)) {
      await take(run, batch);
      settlePlace();
    }
  } catch (error) {
    run.stage = "";
    if (error instanceof Refused) run.view.error(error.message || labels.failed);
    else if (run.following.message) run.view.unreachable();
    else run.view.error(labels.unasked);
  } finally {
    runs.delete(run);
    show(run);
    const reads = hidden(run.view) < NEAR;
    suggest().then((place) => reads && !isPointed() && place?.scrollIntoView({ block: "nearest" }));
    if (run.asked || document.activeElement === document.body) question.focus({ preventScroll: true });
  }
}

/** Below the last answer, what may be asked next; where it stands now. */
async function suggest() {
  const place = lastAnswer()?.querySelector(":scope.settled [data-follow-ups]:empty");
  const message = lastAnswer()?.dataset.message;
  if (!place || !message || isDocked) return null;
  await htmx.ajax("GET", `/messages/${message}/follow-ups/`, { source: place, target: place });
  return place;
}

/** The server's answers that somebody still writes. */
function attach() {
  for (const element of transcript.querySelectorAll(".answer[data-live]")) {
    const stage = labels[element.dataset.live];
    element.removeAttribute("data-live");
    follow({ view: new AnswerView(labels, element), following: new Following(element.dataset.message), stage });
  }
}

function bodyFor(text, replaces) {
  const body = { messages: [{ role: "user", content: text }] };
  if (replaces) body.replaces = replaces;
  if (labels.conversation) body.conversation = labels.conversation;
  else {
    if (labels.project) body.project = labels.project;
    if (labels.document) body.document = labels.document;
    if (labels.corpus) body.corpus = labels.corpus;
    if (labels.documents) body.documents = labels.documents.split(",");
  }
  if (labels.only) body.filters = { document: labels.only.split(",") };
  if (labels.unit) body.context = { unit: labels.unit };
  return body;
}

/** A new conversation gets its name, and what can be done with it, from its own page. */
async function takeHead() {
  if (isDocked || !labels.conversation || document.getElementById("rename")) return;
  await htmx.ajax("GET", `/conversations/${labels.conversation}/`, { source: "#chat-head", target: "#chat-head", select: "#chat-head", swap: "outerHTML" });
  listAnew(labels.conversation);
}

/** What is asked anew takes the place of the last exchange, which is kept. */
async function askAnew(text) {
  const answer = lastAnswer();
  if (!answer?.dataset.message || runs.size) return;
  unchange();
  const replaced = [answer.previousElementSibling, answer];
  for (const one of replaced) one.hidden = true;
  if (await ask(text, answer.dataset.message)) {
    for (const one of replaced) one.remove();
    const [asked] = [...transcript.querySelectorAll(":scope > .question")].slice(-1);
    await htmx.ajax("GET", `/conversations/${labels.conversation}/`, { source: asked, target: asked, select: "#transcript > .question:nth-last-child(2)", swap: "outerHTML" });
  } else for (const one of replaced) one.hidden = false;
}

function change(text) {
  document.getElementById("changing").hidden = false;
  composer.dataset.changing = "";
  question.value = text;
  question.focus();
}

function unchange() {
  document.getElementById("changing").hidden = true;
  delete composer.dataset.changing;
}

/** A corpus or a document to begin with may be gone meanwhile: it is let go of, so that the question can be asked again. */
function refusal({ code, detail }) {
  const begins = !isDocked && !labels.conversation && (labels.corpus || labels.document || labels.documents);
  if (code !== "not_found" || !begins) return new Refused(detail || "");
  labels.corpus = labels.document = labels.documents = "";
  return new Refused(labels.gone);
}

/** Whether the question was stored. */
async function ask(text, replaces) {
  const begun = new FormData(composer); // what to begin with
  labels.corpus ||= begun.get("corpus") ?? "";
  if (!labels.document) labels.documents ||= begun.getAll("document").join(",");
  document.getElementById("intro")?.remove();
  const run = { view: new AnswerView(labels), following: new Following(), stage: labels.retrieving, asked: true };
  transcript.append(questionElement(text), run.view.element);
  run.view.element.dataset.question = text;
  lastQuestionToTop();
  await follow(run, async (signal) => {
    const response = await post(`/api/agents/${labels.agent}/chat/`, bodyFor(text, replaces), signal);
    if (!response.ok) throw refusal(problemOf(await response.text()));
    meet(run, response);
    return response;
  });
  takeHead();
  return Boolean(run.following.message);
}

function submit() {
  const text = question.value.trim();
  if (!text || runs.size) return;
  question.value = "";
  if ("changing" in composer.dataset) askAnew(text);
  else ask(text);
}

composer.addEventListener("submit", (event) => {
  event.preventDefault();
  submit();
});

question.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    submit();
  }
});

/** A question that is on its way yet is stopped as soon as the server has named its answer. */
async function requestStop(run) {
  run.stopping = true;
  run.stage = stage.textContent = labels.stopping;
  if (!run.following.message) return;
  const response = await post(`/api/messages/${run.following.message}/stop/`, {}).catch(() => null);
  if (!response?.ok) run.stage = stage.textContent = labels.unstopped;
}

stop.addEventListener("click", () => runs.forEach(requestStop));

/** The question of a failed answer, asked again: the one that stands above it. */
function retry(answer) {
  const text = answer.dataset.question || answer.previousElementSibling?.querySelector("[data-text]")?.textContent;
  if (text && !runs.size) ask(text);
}

chat.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (button?.dataset.retry !== undefined) retry(button.closest(".answer"));
  if (button?.dataset.anew !== undefined) askAnew(lastAnswer().previousElementSibling.querySelector("[data-text]").textContent);
  if (button?.dataset.edit !== undefined) change(button.closest(".question").querySelector("[data-text]").textContent);
  if (button?.dataset.unchange !== undefined) {
    unchange();
    question.value = "";
  }
  if (button?.dataset.reload !== undefined) location.reload();
  if (button?.dataset.example !== undefined) {
    question.value = button.textContent.trim();
    question.focus();
  }
});

/** What another tab or device has asked in this conversation meanwhile. */
async function takeNew() {
  const last = lastAnswer();
  if (!labels.conversation || !last?.dataset.message) return;
  const response = await fetch(`/conversations/${labels.conversation}/after/${last.dataset.message}/`).catch(() => null);
  if (!response?.ok || response.redirected || last !== lastAnswer()) return;
  if (response.status === 205) return location.reload(); // that answer was asked for anew
  const reads = last.getBoundingClientRect().bottom - composer.getBoundingClientRect().top < NEAR;
  const added = await response.text();
  transcript.insertAdjacentHTML("beforeend", added);
  attach();
  if (reads && added.trim()) lastQuestionToTop();
}

function wakeUp() {
  for (const { following } of runs) following.hurry();
  takeNew();
}

tabs.addEventListener("message", ({ data }) => data === labels.conversation && takeNew());
addEventListener("online", wakeUp);
addEventListener("pageshow", (event) => event.persisted && wakeUp());
addEventListener("pagehide", () => runs.forEach(({ following }) => following.drop()));
document.addEventListener("visibilitychange", () => document.hidden || wakeUp());

async function earlierMessages() {
  const button = transcript.querySelector(".earlier");
  if (button) await htmx.ajax("GET", button.getAttribute("hx-get"), { source: button, target: button, swap: "outerHTML" });
  return Boolean(button);
}

isDocked || keepPlace(transcript, question);
// Only a question that the reader of a document has just written is sent by itself; a link from elsewhere is not.
if (sessionStorage.getItem("ask") === question.value && question.value) submit();
else if (!(await restorePlace(question, earlierMessages))) lastQuestionToTop();
sessionStorage.removeItem("ask");
attach();
suggest().then(settlePlace);
