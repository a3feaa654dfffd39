/* The conversation: asks over fetch, follows the event stream (API.md, "Chat"), stops, asks again. */

import "./actions.js";
import { AnswerView, questionElement } from "./answer.js";
import { post, sentenceOf } from "./http.js";
import { eventsOf } from "./sse.js";

const STOP_PATIENCE = 2000; // ms for the server to end a stopped stream by itself

const chat = document.getElementById("chat");
const labels = chat.dataset;
const transcript = document.getElementById("transcript");
const composer = document.getElementById("composer");
const question = document.getElementById("question");
const [send, stop, stage] = ["send", "stop", "stage"].map((id) => document.getElementById(id));

let running = null; // {view, abort, stopped}

const hidden = (view) => view.prose.getBoundingClientRect().bottom - composer.getBoundingClientRect().top;
const lastQuestionToTop = () => [...transcript.querySelectorAll(".question")].at(-1)?.scrollIntoView();

function setRunning(value) {
  running = value;
  send.hidden = Boolean(value);
  stop.hidden = !value;
  stage.classList.toggle("visually-hidden", !value); // how it ended stands in the answer; this says it aloud
}

const handlers = {
  sources(view, data) {
    view.sources(data);
    labels.conversation = data.conversation;
    if (!location.pathname.startsWith("/conversations/")) {
      history.replaceState(null, "", `/conversations/${data.conversation}/`);
    }
    if (!stage.textContent) stage.textContent = labels.generating;
  },
  status(_view, data) { stage.textContent = labels[data.stage] || ""; },
  token(view, data) { view.token(data); },
  html(view, data) { view.html(data); },
  done(view, data) {
    view.done(data);
    stage.textContent = data.status === "stopped" ? labels.stopped : labels.ready;
  },
  error(view, data) {
    view.error(data.detail || labels.failed);
    stage.textContent = "";
  },
};

async function follow(response, view) {
  let ended = false;
  for await (const { event, data } of eventsOf(response)) {
    const follows = hidden(view) < 160; // not when the reader has scrolled back
    handlers[event]?.(view, JSON.parse(data));
    ended ||= event === "done" || event === "error";
    if (follows && hidden(view) > 0) scrollBy(0, hidden(view));
  }
  if (!ended) throw new TypeError("The stream ended in the middle");
}

function bodyFor(text) {
  const body = { messages: [{ role: "user", content: text }] };
  if (labels.conversation) body.conversation = labels.conversation;
  else if (labels.project) body.project = labels.project;
  return body;
}

function broken(run) {
  if (run.stopped) handlers.done(run.view, { status: "stopped" });
  else handlers.error(run.view, { detail: labels.offline });
}

/** A new conversation gets its name, and what can be done with it, from its own page. */
function takeHead() {
  if (!labels.conversation || document.getElementById("rename")) return;
  htmx.ajax("GET", `/conversations/${labels.conversation}/`, { target: "#chat-head", select: "#chat-head", swap: "outerHTML" });
}

async function ask(text) {
  document.getElementById("intro")?.remove();
  const run = { view: new AnswerView(labels), abort: new AbortController(), stopped: false, text };
  transcript.append(questionElement(text), run.view.element);
  run.view.element.dataset.question = text;
  setRunning(run);
  stage.textContent = labels.retrieving;
  lastQuestionToTop();
  try {
    const response = await post(`/api/agents/${labels.agent}/chat/`, bodyFor(text), run.abort.signal);
    if (response.ok) await follow(response, run.view);
    else handlers.error(run.view, { detail: sentenceOf(await response.text(), labels.failed) });
  } catch {
    broken(run);
  } finally {
    setRunning(null);
    takeHead();
    question.focus({ preventScroll: true });
  }
}

function submit() {
  const text = question.value.trim();
  if (!text || running) return;
  question.value = "";
  ask(text);
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

stop.addEventListener("click", () => {
  const run = running;
  if (!run) return;
  run.stopped = true;
  const message = run.view.element.dataset.message;
  if (!message) run.abort.abort();
  else post(`/api/messages/${message}/stop/`, {}).catch(() => run.abort.abort());
  setTimeout(() => run.abort.abort(), STOP_PATIENCE);
});

/** The question of a failed answer, asked again: the one that stands above it. */
function retry(answer) {
  const text = answer.dataset.question || answer.previousElementSibling?.querySelector("[data-text]")?.textContent;
  if (text && !running) ask(text);
}

chat.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (button?.dataset.retry !== undefined) retry(button.closest(".answer"));
  if (button?.dataset.example !== undefined) {
    question.value = button.textContent.trim();
    question.focus();
  }
});

// Only a question that the reader of a document has just written is sent by itself; a link from elsewhere is not.
if (sessionStorage.getItem("ask") === question.value && question.value) submit();
else lastQuestionToTop();
sessionStorage.removeItem("ask");
