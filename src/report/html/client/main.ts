import type { Report } from "../../../profile/report.js";
import { element } from "./element.js";
import { eventPage } from "./event-page.js";
import { navigation, overviewPage } from "./overview-page.js";
import { openForPrint } from "./print.js";
import { themeSwitch } from "./theme-switch.js";
import { Tooltip } from "./tooltip.js";
import { ViewState } from "./view-state.js";
import { shown } from "./words.js";

const TITLE = "Switchyard: dry run";

/** Shows the overview or the page of an event, as the address says. */
function start(): void {
  const data = document.getElementById("report")?.textContent ?? "null";
  const view = new ViewState(JSON.parse(data) as Report);
  const main = element("main", { id: "main", tabindex: -1 });
  document.body.append(skipLink(main), topBar(), main);
  const tooltip = new Tooltip(document.body);
  const overview = overviewPage(view, tooltip);
  let page = overview;
  let end = new AbortController();
  let overviewScrollPx = 0;
  let overviewFocus: Element | null = null;

  const show = (isFirst: boolean) => {
    tooltip.hide();
    end.abort();
    end = new AbortController();
    const { event } = view;
    const next = event === undefined ? overview : eventPage(view, event, tooltip, end.signal);
    if (page === overview && next !== overview) overviewFocus = document.activeElement;
    if (next !== page || isFirst) main.replaceChildren(next);
    const cameFrom = page;
    page = next;
    document.title = event === undefined ? TITLE : `${shown(view.address.event ?? "")} · ${TITLE}`;
    if (event !== undefined) {
      window.scrollTo(0, 0);
      if (!isFirst) next.querySelector("h1")?.focus();
    } else {
      if (cameFrom !== overview && overviewFocus instanceof HTMLElement) {
        overviewFocus.focus({ preventScroll: true });
      }
      arrive(view, cameFrom !== overview, overviewScrollPx, isFirst);
    }
  };
  history.scrollRestoration = "manual";
  window.addEventListener("scroll", () => {
    if (page === overview) overviewScrollPx = window.scrollY;
  });
  window.addEventListener("hashchange", () => {
    view.follow();
    show(false);
  });
  openForPrint();
  show(true);
}

/** On the overview: at the part that the address names, or where it was left. */
function arrive(view: ViewState, isBack: boolean, scrollPx: number, isFirst: boolean): void {
  const { section } = view.address;
  const part = section === undefined ? null : document.getElementById(section);
  if (part !== null) {
    part.scrollIntoView();
    const heading = part.querySelector("h1, h2");
    if (heading instanceof HTMLElement && !isFirst) {
      heading.tabIndex = -1;
      heading.focus({ preventScroll: true });
    }
  } else if (isBack) window.scrollTo(0, scrollPx);
}

function skipLink(main: HTMLElement): HTMLElement {
  const link = element("a", { class: "skip", href: "#main" }, "Skip to the report");
  link.addEventListener("click", (event) => {
    event.preventDefault();
    main.focus();
  });
  return link;
}

function topBar(): HTMLElement {
  const links = navigation.map(([id, word]) =>
    element("li", {}, element("a", { href: `#${id}` }, word)),
  );
  return element(
    "header",
    { class: "top-bar" },
    element("a", { class: "brand", href: "#top" }, "Switchyard"),
    element("nav", { "aria-label": "Parts of the report" }, element("ul", {}, ...links)),
    themeSwitch(),
  );
}

start();
