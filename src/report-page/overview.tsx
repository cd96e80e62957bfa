import type { ViewState } from "./elements/view-state.js";
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

/** All parts of the report. */
export function Overview({ view }: { readonly view: ViewState }) {
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
