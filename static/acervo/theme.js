/* Light or dark: the system's choice until the reader makes one. Runs before the first paint. */
(() => {
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const chosen = () => localStorage.getItem("theme");
  const apply = () => { root.dataset.theme = chosen() || (system.matches ? "dark" : "light"); };
  apply();
  system.addEventListener("change", apply);
  document.addEventListener("click", (event) => {
    if (!event.target.closest("#theme")) return;
    localStorage.setItem("theme", root.dataset.theme === "dark" ? "light" : "dark");
    apply();
  });
})();
