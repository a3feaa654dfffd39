/* Opening a dialog; "opened" lets htmx fetch what is in it. */

export function openDialog(dialog) {
  if (dialog.open) return;
  dialog.showModal();
  dialog.dispatchEvent(new CustomEvent("opened"));
}
