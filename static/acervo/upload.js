/* Uploading by dropping or choosing files and folders: three at a time, each with its progress, its errors and a way
   out, in a tray that covers nothing for long. */

import { csrf, sentenceOf } from "./http.js";

const AT_ONCE = 3;
const SOON = 60; // seconds of Retry-After that are waited for

const byId = (id) => document.getElementById(id);
const section = byId("upload");
const tray = byId("tray");
const list = byId("uploads");
const announce = byId("upload-status");
const text = section.dataset;
const waiting = [];
const sending = new Map(); // row: its request
let leftOut = 0;
let sent = 0;

const isKnown = (file) => text.accept.split(",").some((ending) => file.name.toLowerCase().endsWith(ending));

/** What can be said without sending the file. */
function refusal(file) {
  if (!isKnown(file)) return text.unsupported;
  if (!file.size) return text.empty;
  return file.size > Number(text.max) ? text.tooLarge : "";
}

function add(file) {
  const row = byId("upload-row").content.firstElementChild.cloneNode(true);
  row.querySelector("[data-name]").textContent = file.name;
  row.querySelector("[data-retry]").addEventListener("click", () => enqueue(file, row));
  row.querySelector("[data-dismiss]").addEventListener("click", () => dismiss(row));
  list.append(row);
  enqueue(file, row);
}

/** A folder holds more than documents: what else it has is counted, and not complained about file by file. */
function addFolder(files) {
  const known = files.filter((file) => isKnown(file) && file.size);
  leftOut += files.length - known.length;
  known.forEach(add);
  count();
}

function enqueue(file, row) {
  show(row, { state: text.waiting, error: "" });
  const reason = refusal(file);
  if (reason) return fail(row, reason, false);
  waiting.push([file, row]);
  next();
}

function next() {
  while (sending.size < AT_ONCE && waiting.length) send(...waiting.shift());
  count();
}

function count() {
  const open = waiting.length + sending.size;
  tray.hidden = !list.childElementCount && !leftOut;
  byId("tray-title").textContent = text.of.replace("##", sent + list.querySelectorAll("li:not([data-sent])").length).replace("#", sent);
  const left = byId("left-out");
  left.hidden = !leftOut;
  left.textContent = leftOut === 1 ? text.leftOne : text.leftMany.replace("#", leftOut);
  byId("cancel-all").hidden = !open;
  byId("close-tray").hidden = Boolean(open);
}

function show(row, { state, error }) {
  row.querySelector("[data-state]").textContent = state;
  const place = row.querySelector("[data-error]");
  place.textContent = error;
  place.hidden = !error;
  row.querySelector("progress").hidden = Boolean(error) || "sent" in row.dataset;
  row.querySelector("[data-retry]").hidden = true;
  row.querySelector("[data-restore]").hidden = true;
}

function fail(row, reason, again) {
  show(row, { state: "", error: reason });
  row.querySelector("[data-retry]").hidden = !again;
  count();
}

function succeed(row, state) {
  if (!("sent" in row.dataset)) sent += 1;
  row.dataset.sent = "";
  show(row, { state, error: "" });
  announce.textContent = `${row.querySelector("[data-name]").textContent}: ${state}`;
  document.body.dispatchEvent(new CustomEvent("uploaded"));
}

/** Also what waits or is on its way: then it is not sent any more. */
function dismiss(row) {
  const place = waiting.findIndex(([, other]) => other === row);
  if (place >= 0) waiting.splice(place, 1);
  row.remove();
  sending.get(row)?.abort();
  count();
}

byId("cancel-all").addEventListener("click", () => {
  [...waiting.map(([, row]) => row), ...sending.keys()].forEach(dismiss);
  announce.textContent = text.cancelled;
});
byId("close-tray").addEventListener("click", () => {
  list.replaceChildren();
  leftOut = sent = 0;
  count();
});
window.addEventListener("beforeunload", (event) => {
  if (waiting.length || sending.size) event.preventDefault();
});

/** XMLHttpRequest, because fetch does not tell how much of a body has left. */
function send(file, row) {
  show(row, { state: text.sending, error: "" });
  const bar = row.querySelector("progress");
  const request = new XMLHttpRequest();
  sending.set(row, request);
  request.upload.addEventListener("progress", (event) => { bar.value = (100 * event.loaded) / (event.total || 1); });
  request.addEventListener("loadend", () => {
    sending.delete(row);
    if (row.isConnected) ended(request, file, row);
    next();
  });
  request.open("POST", text.url);
  for (const [name, value] of Object.entries(csrf())) request.setRequestHeader(name, value);
  request.setRequestHeader("Accept", "application/json");
  const body = new FormData(byId("upload-details"));
  body.set("file", file);
  request.send(body);
}

function ended(request, file, row) {
  if (request.status === 202) succeed(row, text.done);
  else if (!request.status) fail(row, text.offline, true);
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
    else succeed(row, text.restored);
    count();
  };
}

/** A limit a minute heals by itself: who drops a thousand files need not watch. */
function again(file, row) {
  if (row.isConnected && !row.querySelector("[data-error]").hidden) enqueue(file, row);
}

for (const [id, take] of [["files", (files) => files.forEach(add)], ["folder", addFolder]]) {
  const chooser = byId(id);
  const taken = () => {
    take([...chooser.files]);
    chooser.value = "";
  };
  chooser.addEventListener("change", taken);
  taken(); // what was chosen before this script was there
}

// From then on the list of documents says how far they are.
document.addEventListener("htmx:afterSwap", (event) => {
  if (event.detail.target.id !== "documents") return;
  list.querySelectorAll("[data-sent]").forEach((row) => row.remove());
  if (!list.childElementCount && !leftOut) sent = 0;
  count();
});

/** All files below what was dropped. A reader of a folder gives a hundred entries at a time, until it gives none. */
async function filesOf(entry) {
  if (entry.isFile) return [await new Promise((found) => entry.file(found, () => found(null)))].filter(Boolean);
  const reader = entry.createReader();
  const found = [];
  for (;;) {
    const some = await new Promise((read) => reader.readEntries(read, () => read([])));
    if (!some.length) return found;
    for (const one of some) found.push(...(await filesOf(one)));
  }
}

const veil = byId("drop");
const carriesFiles = (event) => event.dataTransfer?.types.includes("Files");
document.addEventListener("dragover", (event) => {
  if (!carriesFiles(event)) return;
  event.preventDefault(); // wherever: a drop must not replace the page with the file
  veil.hidden = false;
});
document.addEventListener("dragleave", (event) => { veil.hidden ||= !event.relatedTarget; });
document.addEventListener("drop", async (event) => {
  if (!carriesFiles(event)) return;
  event.preventDefault();
  veil.hidden = true;
  const files = [...event.dataTransfer.files]; // both are gone after the first await
  const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  const folders = entries.filter((entry) => entry.isDirectory);
  if (!folders.length) return files.forEach(add);
  const names = new Set(folders.map((entry) => entry.name));
  files.filter((file) => !names.has(file.name)).forEach(add);
  for (const folder of folders) addFolder(await filesOf(folder));
});
