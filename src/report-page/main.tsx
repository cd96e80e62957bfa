import { render } from "preact";
import type { Report } from "../profile/report.js";
import { shown } from "../ui/text.js";
import { ThemeSwitch } from "../ui/theme-switch.js";
import { hideTooltip, Tooltip } from "../ui/tooltip.js";
import { type ViewProps, ViewState } from "./elements/view-state.js";
import { EventPage } from "./event-page.js";
import { ComparisonSection } from "./sections/comparison-section.js";
import { DaysSection } from "./sections/days-section.js";
import { EventsSection } from "./sections/events-section.js";
import { FindingsSection } from "./sections/findings-section.js";
import { HeadSection } from "./sections/head-section.js";
import {
  IdentitySection,
  SizesSection,
  TimesSection,
  UnusedSection,
  UserPropertiesSection,
} from "./sections/numbers-section.js";
import { QuickSection } from "./sections/quick-section.js";
import { RejectsSection } from "./sections/rejects-section.js";
import { QualifyingSection, SettingsSection } from "./sections/run-section.js";
import { SamplesSection } from "./sections/samples-section.js";
import { TargetSection } from "./sections/target-section.js";
import { TimelineSection } from "./sections/timeline-section.js";

const TITLE = "Switchyard: dry run";

/** Shows the overview or the page of an event, depending on the address. */
function start(): void {
  const data = document.getElementById("report")?.textContent ?? "null";
  const view = new ViewState(JSON.parse(data) as Report);
  const app = document.body.appendChild(document.createElement("div"));
  const main = document.createElement("main");
  main.id = "main";
  main.tabIndex = -1;
  render(<Frame report={view.report} main={main} />, app);

  // The overview keeps what is open and searched in it while the page of an event is shown.
  const overview = pageElement();
  const eventPage = pageElement();
  render(<Overview view={view} />, overview);
  let overviewScrollPx = 0;
  let overviewFocus: Element | null = null;

  const show = (isFirst: boolean) => {
    hideTooltip();
    const { event } = view.address;
    const wasOverview = overview.isConnected;
    if (wasOverview && event !== undefined) overviewFocus = document.activeElement;
    document.title = event === undefined ? TITLE : `${shown(event)} · ${TITLE}`;
    if (event === undefined) {
      if (!wasOverview) main.replaceChildren(overview);
      render(null, eventPage);
      if (!wasOverview && overviewFocus instanceof HTMLElement) {
        overviewFocus.focus({ preventScroll: true });
      }
      arrive(view, !wasOverview, overviewScrollPx, isFirst);
    } else {
      main.replaceChildren(eventPage);
      render(<EventPage key={event} view={view} name={event} />, eventPage);
      window.scrollTo(0, 0);
      if (!isFirst) eventPage.querySelector("h1")?.focus();
    }
  };
  history.scrollRestoration = "manual";
  window.addEventListener("scroll", () => {
    if (overview.isConnected) overviewScrollPx = window.scrollY;
  });
  window.addEventListener("hashchange", () => {
    view.follow();
    show(false);
  });
  openForPrint();
  show(true);
}

function pageElement(): HTMLElement {
  const made = document.createElement("div");
  made.className = "page";
  return made;
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

/** All parts of the report. */
function Overview({ view }: ViewProps) {
  const { report } = view;
  return (
    <>
      <HeadSection report={report} />
      <QuickSection report={report} />
      <FindingsSection view={view} />
      <TargetSection report={report} />
      <ComparisonSection report={report} />
      <DaysSection view={view} />
      <TimelineSection view={view} />
      <EventsSection view={view} />
      <UserPropertiesSection report={report} />
      <IdentitySection report={report} />
      <TimesSection report={report} />
      <SizesSection report={report} />
      <SamplesSection report={report} />
      <UnusedSection report={report} />
      <RejectsSection report={report} />
      <QualifyingSection report={report} />
      <SettingsSection report={report} />
    </>
  );
}

/** The frame around the pages. */
function Frame({ report, main }: { readonly report: Report; readonly main: HTMLElement }) {
  const parts = navigation.filter(
    ([id]) => (id !== "target" && id !== "comparison") || report[id] !== undefined,
  );
  const skip = (event: Event) => {
    event.preventDefault();
    main.focus();
  };
  return (
    <>
      {/* biome-ignore lint/a11y/useValidAnchor: as an address, #main would leave the page of an event. */}
      <a class="skip" href="#main" onClick={skip}>
        Skip to the report
      </a>
      <header class="top-bar">
        <a class="brand" href="#top">
          Switchyard
        </a>
        <nav aria-label="Parts of the report">
          <ul>
            {parts.map(([id, word]) => (
              <li key={id}>
                <a href={`#${id}`}>{word}</a>
              </li>
            ))}
          </ul>
        </nav>
        <ThemeSwitch />
      </header>
      <div ref={(holder) => void holder?.replaceWith(main)} />
      <Tooltip />
    </>
  );
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
