/* Passkeys: asks the browser to make or to use one, and sends its answer with the form. The encoding is done by
   django-allauth's webauthn-json.js, which every such page loads before this. */

const { webauthnJSON } = window;

async function optionsOf(form) {
  const kept = document.getElementById("passkey-options");
  if (kept) return JSON.parse(kept.textContent);
  const response = await fetch(form.action, { headers: { Accept: "application/json" } });
  if (!response.ok) throw new Error(`status ${response.status}`);
  return response.json();
}

/** As the checkbox says: a passkey that is found without a name, and asks who holds it, or one beside the password. */
function withoutPassword(options, wanted) {
  const selection = options.publicKey.authenticatorSelection;
  selection.residentKey = wanted ? "required" : "discouraged";
  selection.requireResidentKey = wanted;
  if (wanted) selection.userVerification = "required";
  return options;
}

async function answer(form) {
  const options = await optionsOf(form);
  if (form.dataset.passkey === "use") return webauthnJSON.get(options.request_options);
  return webauthnJSON.create(withoutPassword(options.creation_options, form.elements.passwordless.checked));
}

for (const form of document.querySelectorAll("form[data-passkey]")) {
  const button = form.querySelector("[data-passkey-button]");
  const trouble = form.querySelector("[data-passkey-trouble]");
  if (webauthnJSON.supported()) form.hidden = false;
  else if (form.dataset.passkey === "make") button.disabled = true;
  button.addEventListener("click", async () => {
    trouble.hidden = true;
    try {
      form.elements.credential.value = JSON.stringify(await answer(form));
    } catch {
      trouble.textContent = form.dataset.trouble;
      trouble.hidden = false;
      return;
    }
    form.submit();
  });
  // Enter in a field would send the form without a passkey.
  form.addEventListener("submit", (event) => {
    if (form.elements.credential.value) return;
    event.preventDefault();
    button.click();
  });
}
