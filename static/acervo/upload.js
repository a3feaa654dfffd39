/* Uploading by dropping or choosing: three files at a time, each with its progress and its own errors. */

import { csrf, sentenceOf } from "./http.js";

const AT_ONCE = 3;
const SOON = 60; // seconds of Retry-After that are waited for

const section = document.getElementById("upload");
const list = document.getElementById("uploads");
const announce = document.getElementById("upload-status");
const drop = document.getElementById("drop");
const chooser = document.getElementById("files");
const text = section.dataset;
const waiting = [];
let inFlight = 0;

/** What can be said without sending the file. */
function refusal(file) {
  const known = text.accept.split(",").some((ending) => file.name.toLowerCase().endsWith(ending));
  if (!known) return text.unsupported;
  if (!file.size) return text.empty;
  return file.size > Number(text.max) ? text.tooLarge : "";
}

function add(file) {
  const row = document.getElementById("upload-row").content.firstElementChild.cloneNode(true);
  row.querySelector("[data-name]").textContent = file.name;
  row.querySelector("[data-retry]").addEventListener("click", () => enqueue(file, row));
  row.querySelector("[data-dismiss]").addEventListener("click", () => dismiss(row));
  list.append(row);
  list.hidden = false;
  enqueue(file, row);
}

function enqueue(file, row) {
  show(row, { state: text.waiting, error: "" });
  const reason = refusal(file);
  if (reason) return fail(row, reason, false);
  waiting.push([file, row]);
  next();
}

function next() {
  while (inFlight < AT_ONCE && waiting.length) send(...waiting.shift());
}

function show(row, { state, error }) {
  row.querySelector("[data-state]").textContent = state;
  const place = row.querySelector("[data-error]");
  place.textContent = error;
  place.hidden = !error;
  row.querySelector("progress").hidden = Boolean(error);
  row.querySelector("[data-retry]").hidden = true;
  row.querySelector("[data-restore]").hidden = true;
  row.querySelector("[data-dismiss]").hidden = !error;
}

function fail(row, reason, again) {
  show(row, { state: "", error: reason });
  row.querySelector("[data-retry]").hidden = !again;
}

function dismiss(row) {
  row.remove();
  list.hidden = !list.childElementCount;
}

/** XMLHttpRequest, because fetch does not tell how much of a body has left. */
function send(file, row) {
  inFlight += 1;
  show(row, { state: text.sending, error: "" });
  const bar = row.querySelector("progress");
  const request = new XMLHttpRequest();
  request.upload.addEventListener("progress", (event) => { bar.value = (100 * event.loaded) / (event.total || 1); });
  request.addEventListener("loadend", () => {
    inFlight -= 1;
    ended(request, file, row);
    next();
  });
  request.open("POST", text.url);
  for (const [name, value] of Object.entries(csrf())) request.setRequestHeader(name, value);
  request.setRequestHeader("Accept", "application/json");
  const body = new FormData(document.getElementById("upload-details"));
  body.append("file", file);
  request.send(body);
}

function ended(request, file, row) {
  if (request.status === 202) {
    show(row, { state: text.done, error: "" });
    announce.textContent = `${file.name}: ${text.done}`;
    row.dataset.sent = "";
    document.body.dispatchEvent(new CustomEvent("uploaded"));
  } else if (!request.status) fail(row, text.offline, true);
  else {
    const deleted = inTrash(request);
    const otherwise = request.status === 413 ? text.tooLarge : text.failed;
    fail(row, sentenceOf(request.responseText, otherwise), request.status >= 500 || request.status === 429);
    const seconds = Number(request.getResponseHeader("Retry-After"));
    if (request.status === 429 && seconds && seconds <= SOON) setTimeout(() => again(file, row), 1000 * seconds);
    if (deleted) offerRestoring(deleted, row);
  }
}

/** The id of the same file that lies in the trash, if that is why it was refused. */
function inTrash(request) {
  if (request.status !== 409) return "";
  try {
    const problem = JSON.parse(request.responseText);
    return problem.code === "document_in_trash" ? problem.document : "";
  } catch {
    return "";
  }
}

function offerRestoring(id, row) {
  const button = row.querySelector("[data-restore]");
  button.hidden = false;
  button.onclick = async () => {
    button.disabled = true;
    const answer = await fetch(`/api/trash/${id}/restore/`, { method: "POST", headers: { ...csrf(), Accept: "application/json" } })
      .catch(() => null);
    button.disabled = false;
    if (!answer) fail(row, text.offline, false);
    else if (!answer.ok) fail(row, sentenceOf(await answer.text(), text.failed), false);
    else {
      show(row, { state: text.restored, error: "" });
      announce.textContent = text.restored;
      row.dataset.sent = "";
      document.body.dispatchEvent(new CustomEvent("uploaded"));
    }
  };
}

/** A limit a minute heals by itself: who drops a thousand files need not watch. */
function again(file, row) {
  if (row.isConnected && !row.querySelector("[data-error]").hidden) enqueue(file, row);
}

function addChosen() {
  for (const file of chooser.files) add(file);
  chooser.value = "";
}
chooser.addEventListener("change", addChosen);
addChosen(); // what was chosen before this script was there

// From then on the list of documents says how far they are.
document.addEventListener("htmx:afterSwap", (event) => {
  if (event.detail.target.id === "documents") list.querySelectorAll("[data-sent]").forEach(dismiss);
});

const carriesFiles = (event) => event.dataTransfer?.types.includes("Files");
document.addEventListener("dragover", (event) => {
  if (!carriesFiles(event)) return;
  event.preventDefault(); // also beside the zone: a missed drop must not replace the page with the file
  drop.classList.toggle("over", drop.contains(event.target));
});
document.addEventListener("dragleave", () => drop.classList.remove("over"));
document.addEventListener("drop", (event) => {
  if (!carriesFiles(event)) return;
  event.preventDefault();
  drop.classList.remove("over");
  for (const file of event.dataTransfer.files) add(file);
});
