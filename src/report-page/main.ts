import type { Report } from "../profile/report.js";
import { Tooltip } from "./elements/blocks.js";
import { shown } from "./elements/display-text.js";
import { button, element } from "./elements/element.js";
import { ViewState } from "./elements/view-state.js";
import { eventPage } from "./event-page.js";
import { comparisonSection } from "./sections/comparison-section.js";
import { daysSection } from "./sections/days-section.js";
import { eventsSection } from "./sections/events-section.js";
import { findingsSection } from "./sections/findings-section.js";
import { headSection } from "./sections/head-section.js";
import {
  identitySection,
  sizesSection,
  timesSection,
  unusedSection,
  userPropertiesSection,
} from "./sections/numbers-section.js";
import { quickSection } from "./sections/quick-section.js";
import { rejectsSection } from "./sections/rejects-section.js";
import { qualifyingSection, settingsSection } from "./sections/run-section.js";
import { samplesSection } from "./sections/samples-section.js";
import { targetSection } from "./sections/target-section.js";
import { timelineSection } from "./sections/timeline-section.js";

const TITLE = "Switchyard: dry run";

/** Shows the overview or the page of an event, depending on the address. */
function start(): void {
  const data = document.getElementById("report")?.textContent ?? "null";
  const view = new ViewState(JSON.parse(data) as Report);
  const main = element("main", { id: "main", tabindex: -1 });
  document.body.append(skipLink(main), topBar(view.report), main);
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

/** Scrolls the overview to the part that the address names, or to where the user left it. */
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

function topBar(report: Report): HTMLElement {
  const links = navigation
    .filter(([id]) => (id !== "target" && id !== "comparison") || report[id] !== undefined)
    .map(([id, word]) => element("li", {}, element("a", { href: `#${id}` }, word)));
  return element(
    "header",
    { class: "top-bar" },
    element("a", { class: "brand", href: "#top" }, "Switchyard"),
    element("nav", { "aria-label": "Parts of the report" }, element("ul", {}, ...links)),
    themeSwitch(),
  );
}

/** Parts of the overview in the navigation, by address. */
const navigation = [
  ["findings", "Findings"],
  ["target", "Target"],
  ["comparison", "Changes"],
  ["days", "Days"],
  ["timeline", "Timeline"],
  ["events", "Events"],
  ["user-properties", "User properties"],
  ["identity", "Identity"],
  ["samples", "Samples"],
  ["unused-fields", "Unused fields"],
  ["rejects", "Rejects"],
  ["qualifying-events", "Qualifying events"],
  ["settings", "Inputs"],
] as const;

function overviewPage(view: ViewState, tooltip: Tooltip): HTMLElement {
  const { report } = view;
  return element(
    "div",
    { class: "page" },
    headSection(report),
    quickSection(report),
    findingsSection(view),
    targetSection(report),
    comparisonSection(report),
    daysSection(view, tooltip),
    timelineSection(view, tooltip),
    eventsSection(view),
    userPropertiesSection(report),
    identitySection(report),
    timesSection(report),
    sizesSection(report),
    samplesSection(report),
    unusedSection(report),
    rejectsSection(report),
    qualifyingSection(report),
    settingsSection(report),
  );
}

const themes = ["auto", "light", "dark"] as const;
type Theme = (typeof themes)[number];

const STORAGE_KEY = "switchyard-report-theme";

/** Switches between the system's colours, light and dark, and remembers the choice if storage is allowed. */
function themeSwitch(): HTMLButtonElement {
  let theme = keptTheme();
  const show = () => {
    document.documentElement.dataset["theme"] = theme;
    made.textContent = `Theme: ${theme}`;
  };
  const made = button({ class: "quiet theme" }, () => {
    theme = themes[(themes.indexOf(theme) + 1) % themes.length] ?? "auto";
    keep(theme);
    show();
  });
  show();
  return made;
}

/** Some browsers refuse storage to pages from disk. */
function keptTheme(): Theme {
  try {
    const kept = localStorage.getItem(STORAGE_KEY);
    return themes.find((theme) => theme === kept) ?? "auto";
  } catch {
    return "auto";
  }
}

function keep(theme: Theme): void {
  try {
    localStorage.setItem(STORAGE_KEY, theme);
  } catch {
    // The choice lasts until the page is closed.
  }
}

/** Opens what is closed while the page is printed, because paper has nothing to click on. */
function openForPrint(): void {
  let opened: readonly HTMLDetailsElement[] = [];
  const set = (isOpen: boolean) => {
    for (const details of opened) details.open = isOpen;
  };
  window.addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll<HTMLDetailsElement>("details:not(.screen-only)")];
    opened = opened.filter(({ open }) => !open);
    set(true);
  });
  window.addEventListener("afterprint", () => set(false));
}

start();
