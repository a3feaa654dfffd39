/* The reader's place, kept for each entry of the tab's history: the message at the top of the window, what was being
   written, and the link that the keyboard had followed. `no-store` switches off the browser's own memory of pages. */

const HEAD = 64; // px that the page's head covers
const key = () => `place:${window.navigation?.currentEntry?.key ?? location.pathname}`;
const linksOf = (message) => [...message.querySelectorAll("a")];

let kept = null;
let settledAt = null; // where `restorePlace` has scrolled to

/** Before the page is left, for a while or for good. */
export function keepPlace(transcript, field) {
  history.scrollRestoration = "manual";
  if (["reload", "back_forward"].includes(performance.getEntriesByType("navigation")[0]?.type)) {
    kept = JSON.parse(sessionStorage.getItem(key()));
  }
  sessionStorage.removeItem(key());
  addEventListener("pagehide", () => sessionStorage.setItem(key(), JSON.stringify(placeIn(transcript, field))));
}

function placeIn(transcript, field) {
  const messages = [...transcript.querySelectorAll(":scope > [id]")];
  const top = messages.find((message) => message.getBoundingClientRect().bottom > HEAD);
  const focused = transcript.querySelector(".answer[id] a:focus-visible");
  const answer = focused?.closest(".answer");
  return {
    message: top?.id,
    offset: top?.getBoundingClientRect().top,
    draft: field.value,
    focus: answer && [answer.id, linksOf(answer).indexOf(focused)],
  };
}

/** Back to the place that was kept, if there is one. `earlier()` loads messages that lie before those of the page. */
export async function restorePlace(field, earlier) {
  if (!kept) return false;
  field.value ||= kept.draft;
  if (!kept.message) return false;
  while (!document.getElementById(kept.message)) if (!(await earlier())) return false;
  settle();
  const [answer, n] = kept.focus ?? [];
  if (answer) linksOf(document.getElementById(answer))[n]?.focus({ preventScroll: true });
  return true;
}

/** The same once more, when the page has grown below and its reader has not moved since. */
export function settlePlace() {
  if (settledAt !== null && scrollY === settledAt) settle();
}

function settle() {
  const message = document.getElementById(kept.message);
  if (!message) return;
  scrollBy({ top: message.getBoundingClientRect().top - kept.offset, behavior: "instant" });
  settledAt = scrollY;
}
