/* An incremental parser of server-sent events (WHATWG HTML, "event stream interpretation"). */

export class EventParser {
  #rest = "";
  #event = "";
  #lines = [];

  /** Events that are complete after this piece of text, as {event, data}. */
  push(text) {
    const found = [];
    const lines = (this.#rest + text).split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop();
    for (const line of lines) this.#take(line, found);
    return found;
  }

  #take(line, found) {
    if (line === "") {
      if (this.#lines.length) found.push({ event: this.#event || "message", data: this.#lines.join("\n") });
      this.#event = "";
      this.#lines = [];
      return;
    }
    const [, field, value] = /^([^:]*):? ?(.*)$/s.exec(line);
    if (field === "event") this.#event = value;
    else if (field === "data") this.#lines.push(value);
  }
}

/** The events of a response, as they arrive. */
export async function* eventsOf(response) {
  const parser = new EventParser();
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    yield* parser.push(value);
  }
}
