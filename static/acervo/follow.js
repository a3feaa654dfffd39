/* One answer followed to its end, over as many connections as that takes (API.md, "Chat"). */

import { sentenceOf } from "./http.js";
import { batchesOf } from "./sse.js";

const PAUSES = [300, 1000, 2000, 4000, 8000]; // ms before the next connection; from then on the last one
const TRIES = 20; // in vain, one after the other: about two minutes
const ENDS = new Set(["done", "error"]);

/** The server's own sentence about why it does not answer. Asking it the same again would not help. */
export class Refused extends Error {}

export class Following {
  #seen = ""; // id of the last event
  #connection = null;
  #wake = () => {};

  /** `message` is the answer's id; the one of a question that is only being asked is set when it is known. */
  constructor(message = null) {
    this.message = message;
  }

  /** The answer's events, several at a time, until its end. `ask(signal)` is the request that begins it, if it is not
      under way yet; `lost()` is called when a connection was lost and another one will be tried. */
  async *batches(ask, lost) {
    let open = ask ?? this.#resume;
    for (let tries = 0; tries < TRIES; tries += 1) {
      try {
        for await (const batch of this.#read(open)) {
          tries = 0;
          yield batch;
          if (batch.some(({ event }) => ENDS.has(event))) return;
        }
      } catch (error) {
        if (error instanceof Refused || !this.message) throw error;
      }
      if (!this.message) break;
      open = this.#resume;
      lost();
      await this.#pause(PAUSES[Math.min(tries, PAUSES.length - 1)]);
    }
    throw new TypeError("The answer cannot be reached");
  }

  /** Try again now rather than later: the network is back, or the page is. */
  hurry() {
    this.#wake();
  }

  /** Let go of the connection; after a pause it is taken up again, if the page still lives. */
  drop() {
    this.#connection?.abort();
  }

  async *#read(open) {
    this.#connection = new AbortController();
    const response = await open.call(this, this.#connection.signal);
    for await (const batch of batchesOf(response)) {
      this.#seen = batch.at(-1).id;
      yield batch;
    }
  }

  async #resume(signal) {
    const headers = { Accept: "text/event-stream" };
    if (this.#seen) headers["Last-Event-ID"] = this.#seen;
    const response = await fetch(`/api/messages/${this.message}/events/`, { headers, signal });
    if (response.ok) return response;
    if (response.status >= 500 || response.status === 429) throw new TypeError("Not now");
    throw new Refused(sentenceOf(await response.text(), ""));
  }

  #pause(milliseconds) {
    return new Promise((resolve) => {
      this.#wake = resolve;
      setTimeout(resolve, milliseconds);
    });
  }
}
