/* The table of documents: choosing several, sorting by a heading, giving a title where it stands, dismissing a toast. */

const boxes = () => [...document.querySelectorAll("#documents .tick [name]")];
let latest = null; // the box that was ticked last: with Shift all between follow

function tell() {
  const count = boxes().filter((box) => box.checked).length;
  const place = document.querySelector("[data-count]");
  const all = document.querySelector("[data-all]");
  if (place) place.textContent = count === 1 ? place.dataset.one : place.dataset.many.replace("#", count);
  if (all) [all.checked, all.indeterminate] = [count > 0 && count === boxes().length, count > 0 && count < boxes().length];
}

document.addEventListener("click", (event) => {
  const { target } = event;
  const link = target.closest("a[data-sort]");
  const pencil = target.closest("[data-retitle]");
  if (link && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    const select = document.getElementById("sort");
    select.value = link.dataset.sort;
    select.dispatchEvent(new Event("change", { bubbles: true }));
  } else if (pencil) {
    event.preventDefault();
    retitle(pencil.closest("tr"));
  } else if (target.closest("[data-gone]")) document.getElementById("toast").replaceChildren();
  else if (target.matches("#documents [data-all]")) boxes().forEach((box) => { box.checked = target.checked; });
  else if (target.matches(".tick [name]")) {
    const all = boxes();
    if (event.shiftKey && all.includes(latest)) {
      const [from, to] = [all.indexOf(latest), all.indexOf(target)].sort((a, b) => a - b);
      for (const box of all.slice(from, to + 1)) box.checked = target.checked;
    }
    latest = target;
  } else return;
  tell();
});

/** Enter keeps, Escape leaves; whoever goes elsewhere leaves too. */
function retitle(row) {
  const link = row.querySelector(".title");
  if (link.hidden) return;
  const pencil = row.querySelector("[data-retitle]");
  const field = Object.assign(document.createElement("input"), { type: "text", className: "retitle", maxLength: 255, value: link.textContent });
  field.setAttribute("aria-label", pencil.getAttribute("aria-label"));
  field.onblur = () => {
    field.onblur = null; // once: removing it blurs it again
    field.remove();
    link.hidden = false;
  };
  field.addEventListener("keydown", async (event) => {
    if (event.key === "Enter") event.preventDefault();
    if (event.key === "Escape" || (event.key === "Enter" && !field.value.trim())) return pencil.focus();
    if (event.key !== "Enter") return;
    await htmx.ajax("POST", pencil.dataset.retitle, { source: row, target: row, swap: "outerHTML", values: { title: field.value } });
    document.querySelector(`#${row.id} [data-retitle]`)?.focus();
  });
  link.hidden = true;
  link.before(field);
  field.select();
}

document.addEventListener("keydown", (event) => {
  const row = event.key === "F2" && event.target.closest("#documents tbody tr");
  if (row && row.querySelector("[data-retitle]")) retitle(row);
});

// A row that is told anew while it is processed stays chosen, and is left alone while its title is written.
document.addEventListener("htmx:oobBeforeSwap", ({ detail }) => {
  const before = detail.target.querySelector(".tick [name]");
  const after = detail.fragment.querySelector(".tick [name]");
  if (before && after) after.toggleAttribute("checked", before.checked);
  if (detail.target.querySelector(".retitle")) detail.shouldSwap = false;
});
document.addEventListener("htmx:afterSettle", tell);
