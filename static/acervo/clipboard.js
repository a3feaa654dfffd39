/* Copying, with a word of confirmation on the button. Modules that are imported do nothing by themselves: under
   hashed names a page's own script and an imported one are two modules. */

export async function copied(button, text) {
  await navigator.clipboard.writeText(text);
  const label = button.querySelector("span");
  const before = label.textContent;
  label.textContent = button.dataset.done;
  setTimeout(() => { label.textContent = before; }, 2000);
}
