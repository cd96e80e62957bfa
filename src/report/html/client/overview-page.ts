import { element } from "./element.js";
import { daysSection } from "./sections/days-section.js";
import { estimatesSection } from "./sections/estimates-section.js";
import { eventsSection } from "./sections/events-section.js";
import { findingsSection } from "./sections/findings-section.js";
import { headSection } from "./sections/head-section.js";
import { sizesSection, timesSection } from "./sections/measures-section.js";
import { identitySection, userPropertiesSection } from "./sections/people-section.js";
import { rejectsSection } from "./sections/rejects-section.js";
import { samplesSection } from "./sections/samples-section.js";
import { settingsSection } from "./sections/settings-section.js";
import { timelineSection } from "./sections/timeline-section.js";
import type { Tooltip } from "./tooltip.js";
import type { ViewState } from "./view-state.js";

/** Parts of the overview that the navigation names: address → word. */
export const navigation = [
  ["findings", "Findings"],
  ["days", "Days"],
  ["timeline", "Timeline"],
  ["events", "Events"],
  ["user-properties", "User properties"],
  ["identity", "Identity"],
  ["samples", "Samples"],
  ["rejects", "Rejects"],
  ["estimates", "Estimates"],
  ["settings", "Inputs"],
] as const;

export function overviewPage(view: ViewState, tooltip: Tooltip): HTMLElement {
  const { report } = view;
  return element(
    "div",
    { class: "page" },
    headSection(report),
    findingsSection(view),
    daysSection(view, tooltip),
    timelineSection(view, tooltip),
    eventsSection(view),
    userPropertiesSection(report),
    identitySection(report),
    timesSection(report),
    sizesSection(report),
    samplesSection(report.samples),
    rejectsSection(report),
    estimatesSection(report),
    settingsSection(report),
  );
}
