// Unfold's pages under a policy without eval. Alpine's CSP build, which stands in the place of unfold's own, takes one
// expression over the names in scope: no statements, no arrow functions, no globals. What unfold's templates write
// beyond that is replaced here, before Alpine reads the page. An expression that a newer unfold adds shows as a script
// error, for which tests/e2e/test_admin_walk.py looks.

const REPLACED = [
  ["x-bind:action", "activeTab &&", "addressOfTab(activeTab)"],
  ["x-bind:style", "'width: '", "{ width: changeListWidth + 'px' }"],
  ["x-on:click", "sidebarDesktopOpen =", "sidebarDesktopOpen = !sidebarDesktopOpen"],
  ["x-on:keydown.enter.prevent", "if (", "selectUnlessModified($event)"],
];
const SIDEBAR = "sidebarDesktopOpen";

function replaceExpressions(root) {
  for (const element of root.querySelectorAll("*")) {
    for (const [name, start, said] of REPLACED) {
      if (element.getAttribute(name)?.startsWith(start)) element.setAttribute(name, said);
    }
    if (element.localName === "template") replaceExpressions(element.content);
  }
}

function adminPage(firstTab) {
  return {
    activeTab: getCurrentTab() || firstTab,
    sidebarMobileOpen: false,
    [SIDEBAR]: localStorage.getItem(SIDEBAR) !== "0",
    init() {
      this.$watch(SIDEBAR, (open) => localStorage.setItem(SIDEBAR, open ? "1" : "0"));
    },
    addressOfTab(tab) {
      const { pathname, search } = window.location;
      return pathname + search + (tab && tab !== "general" ? `#${tab}` : "");
    },
  };
}

function searchCommandOnce() {
  return {
    ...searchCommand(),
    selectUnlessModified(event) {
      if (!event.metaKey && !event.ctrlKey) this.selectItem(false, false);
    },
  };
}

/** Regions that scroll and the column of boxes to delete, which unfold leaves without a name or gives an English one. */
function nameRegions(words) {
  for (const [place, region] of document.querySelectorAll("[data-simplebar]").entries()) {
    const name = region.id === "nav-sidebar-apps" ? words.navigation : `${words.scrolled} ${place}`;
    region.dataset.simplebarAriaLabel = name;
  }
  for (const head of document.querySelectorAll("thead th")) {
    if (head.textContent.trim() || head.querySelector("input")) continue;
    const name = document.createElement("span");
    name.className = "sr-only";
    name.textContent = words.remove;
    head.append(name);
  }
}

document.addEventListener("alpine:init", () => {
  const body = document.body;
  const page = document.getElementById("page");
  if (page) nameRegions(page.dataset);
  const firstTab = /activeTab: '([^']*)'/.exec(body.getAttribute("x-data") ?? "")?.[1] ?? "";
  body.setAttribute("x-data", "adminPage");
  body.removeAttribute("x-init");
  replaceExpressions(body);
  Alpine.data("adminPage", () => adminPage(firstTab));
  Alpine.data("theme", theme);
  Alpine.data("searchForm", searchForm);
  Alpine.data("searchCommand", searchCommandOnce);
});

htmx.config.includeIndicatorStyles = false; // a style element
htmx.config.allowEval = false;
