// The test chat of an agent's form: asks the saved agent through the API as whoever is signed in, and shows the answer,
// its sources and how sure it is. What comes back is text and stays text.

function tag(name, text, classes) {
  const made = document.createElement(name);
  made.textContent = text;
  made.className = classes ?? "";
  return made;
}

function linked(address, text) {
  const made = tag("a", text, "underline");
  made.href = address;
  return made;
}

function showAnswer(place, said, words) {
  const sure = words[said.confidence?.toLowerCase()] ?? "";
  place.replaceChildren(tag("p", said.content, "acervo-said"));
  if (sure) place.append(tag("p", `${words.confidence}: ${sure}`, "text-xs"));
  if (said.sources?.length) {
    const list = document.createElement("ol");
    for (const one of said.sources) {
      const item = tag("li", `[${one.n}] `);
      item.append(linked(`/documents/${one.document}/`, one.title), one.page ? `, ${words.page} ${one.page}` : "");
      list.append(item);
    }
    place.append(tag("h3", words.sources, "font-semibold"), list);
  }
  if (said.conversation) place.append(linked(`/conversations/${said.conversation}/`, words.open));
}

async function ask(form) {
  const { question } = form.elements;
  const words = form.dataset;
  const place = tag("div", words.waiting, "flex flex-col gap-2");
  const answers = document.getElementById("try-answers");
  const entry = tag("article", "", "border-base-200 border-t flex flex-col gap-2 pt-3 dark:border-base-800");
  entry.append(tag("p", question.value, "font-semibold"), place);
  answers.append(entry);
  const button = form.querySelector("button");
  button.disabled = true;
  try {
    const body = { messages: [{ role: "user", content: question.value }], stream: false };
    const response = await fetch(words.try, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-CSRFToken": words.token },
      body: JSON.stringify(body),
    });
    const said = await response.json();
    if (response.ok) {
      showAnswer(place, said, words);
      question.value = "";
    } else place.replaceChildren(tag("p", said.detail ?? words.failed, "text-red-600 dark:text-red-400"));
  } catch {
    place.replaceChildren(tag("p", words.failed, "text-red-600 dark:text-red-400"));
  }
  button.disabled = false;
}

document.addEventListener("submit", (event) => {
  if (!event.target.matches("form[data-try]")) return;
  event.preventDefault();
  ask(event.target);
});
