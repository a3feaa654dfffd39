/* Requests to the API: the CSRF header, and problems (RFC 9457) as sentences. */

export const csrf = () => JSON.parse(document.body.getAttribute("hx-headers"));

export function post(url, body, signal) {
  return fetch(url, {
    method: "POST",
    headers: { ...csrf(), "Content-Type": "application/json", Accept: "text/event-stream, application/json" },
    body: JSON.stringify(body),
    signal,
  });
}

/** What a problem says; nothing where the text is none. */
export function problemOf(text) {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}

/** The problem's own sentence, which the server wrote in the reader's language; else the given one. */
export const sentenceOf = (text, otherwise) => problemOf(text).detail || otherwise;

const NO_ROOM = 507;

/** On the page, by an answer's status (0: there was none): that it went wrong, or that nothing did. */
export function tellOutcome(status) {
  document.getElementById("no-room").hidden = status !== NO_ROOM;
  document.getElementById("trouble").hidden = (status >= 200 && status < 300) || status === NO_ROOM;
}
