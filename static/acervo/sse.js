/* An incremental parser of server-sent events (WHATWG HTML, "event stream interpretation"). */

const SILENCE = 40_000; // ms; the server says something every 15 s, so this connection is dead

export class EventParser {
  #rest = "";
  #event = "";
  #id = "";
  #lines = [];

  /** Events that are complete after this piece of text, as {id, event, data}; the id of one without is the last one's. */
  push(text) {
    const found = [];
    const lines = (this.#rest + text).split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop();
    for (const line of lines) this.#take(line, found);
    return found;
  }

  #take(line, found) {
    if (line === "") {
      if (this.#lines.length) found.push({ id: this.#id, event: this.#event || "message", data: this.#lines.join("\n") });
      this.#event = "";
      this.#lines = [];
      return;
    }
    const [, field, value] = /^([^:]*):? ?(.*)$/s.exec(line);
    if (field === "event") this.#event = value;
    else if (field === "id") this.#id = value;
    else if (field === "data") this.#lines.push(value);
  }
}

async function readOrLose(reader) {
  let timer;
  const silence = new Promise((_resolve, reject) => {
    timer = setTimeout(() => reject(new TypeError("The connection fell silent")), SILENCE);
  });
  try {
    return await Promise.race([reader.read(), silence]);
  } finally {
    clearTimeout(timer);
  }
}

/** The events of a response, those that arrive together as one array. Left early, it closes the connection. */
export async function* batchesOf(response) {
  const parser = new EventParser();
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (;;) {
      const { value, done } = await readOrLose(reader);
      if (done) return;
      const events = parser.push(value);
      if (events.length) yield events;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}
