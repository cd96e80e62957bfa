import { useRef } from "preact/hooks";
import type { Finding, Fix, Report, Severity } from "../../profile/report.js";
import { formatNumberOf } from "../../report/quantities.js";
import { harmless } from "../../report/terminal-text.js";
import { CopyButton, Details, Preformatted } from "../../ui/blocks.js";
import { Section } from "../../ui/section.js";
import { dayText, shown } from "../../ui/text.js";
import type { ViewProps, ViewState } from "../elements/view-state.js";

/** Number of findings that are shown at first; the others open on demand. */
const OPEN_MAX = 12;

export function FindingsSection({ view }: ViewProps) {
  const { findings, rejects } = view.report;
  const own = findings.filter((finding) => !isInRejects(view.report, finding));
  const rest = own.slice(OPEN_MAX);
  const module = own.find(({ fix }) => fix?.module !== undefined)?.fix?.module;
  const but = rejects.length === 0 ? "" : " but the rejects";
  return (
    <Section
      id="findings"
      title="Findings"
      none={own.length === 0 && `No problem${but} was found.`}
      lead="The most severe come first. Each line belongs in pipeline.config.json. switchyard validate --apply writes the safe ones."
    >
      <FindingList findings={own.slice(0, OPEN_MAX)} view={view} />
      {rest.length > 0 && (
        <Details summary={formatNumberOf(rest.length, "further finding")}>
          <FindingList findings={rest} view={view} />
        </Details>
      )}
      {module !== undefined && <ModuleText module={module} />}
    </Section>
  );
}

interface FindingListProps {
  readonly findings: readonly Finding[];
  readonly view: ViewState;
}

export function FindingList({ findings, view }: FindingListProps) {
  return (
    <ol class="findings">
      {findings.map((finding) => (
        <li key={finding} class="finding" id={findingId(view.report, finding)}>
          <SeverityMark finding={finding} />
          <div>
            <h3>{shown(finding.title)}</h3>
            <p class="finding-detail">{shown(finding.detail)}</p>
            {finding.fix !== undefined && <FixLine fix={finding.fix} />}
            <Subjects finding={finding} view={view} />
          </div>
        </li>
      ))}
    </ol>
  );
}

/** The module that lines name; all findings that need one share it. */
function ModuleText({ module }: { readonly module: NonNullable<Fix["module"]> }) {
  const text = useRef<HTMLPreElement>(null);
  const title = `Text of ${shown(module.name)}`;
  return (
    <Details summary={title}>
      <Preformatted label={title} textRef={text}>
        {module.text.split("\n").map(harmless).join("\n")}
      </Preformatted>
      <CopyButton text={text} label={title} />
    </Details>
  );
}

function Subjects({ finding, view }: { readonly finding: Finding; readonly view: ViewState }) {
  const { rows, code, acceptedBecause, event, day, rejectCode, property } = finding;
  return (
    <p class="finding-links">
      {rows > 0 && <span>{formatNumberOf(rows, "row")}</span>}
      {acceptedBecause && <span>accepted by {acceptedBecause}</span>}
      {event !== undefined &&
        (view.indexOf(event) === -1 ? (
          <span>{shown(event)}</span>
        ) : (
          <a href={view.linkTo({ event })}>{shown(event)}</a>
        ))}
      {property !== undefined && <code>{shown(property)}</code>}
      {day !== undefined && (
        <button type="button" class="link" onClick={() => view.chooseDay(day)}>
          Choose {dayText(day)}
        </button>
      )}
      {rejectCode !== undefined && <a href="#rejects">See the rejects</a>}
      <code>{shown(code)}</code>
    </p>
  );
}

const marks: Readonly<Record<Severity | "accepted", readonly [mark: string, word: string]>> = {
  error: ["✕", "Error"],
  warning: ["!", "Warning"],
  info: ["i", "Note"],
  accepted: ["✓", "Accepted"],
};

/** The sign and the name of a finding's severity, or that it is accepted. */
export function SeverityMark({ finding }: { readonly finding: Finding }) {
  const name = isOpen(finding) ? finding.severity : "accepted";
  const [mark, word] = marks[name];
  return (
    <span class={`severity tone-${name}`}>
      <span class="severity-mark" aria-hidden="true">
        {mark}
      </span>
      {word}
    </span>
  );
}

/** Returns true if a finding counts in the verdict. */
export function isOpen({ acceptedBecause }: Finding): boolean {
  return acceptedBecause === undefined;
}

/** A line of the configuration, with a button that copies it. */
export function FixLine({ fix: { line, isSafe } }: { readonly fix: Fix }) {
  const code = useRef<HTMLElement>(null);
  return (
    <div class="fix">
      <code ref={code}>{shown(line)}</code>
      <span class="fix-note">{isSafe ? "safe to apply" : "check it first"}</span>
      <CopyButton text={code} label="the line that fixes this" />
    </div>
  );
}

/** Returns true if the section about rejects contains everything in a finding. */
export function isInRejects({ rejects }: Pick<Report, "rejects">, finding: Finding): boolean {
  const { code, rejectCode } = finding;
  return code === "rows_rejected" && rejects.some((reject) => reject.code === rejectCode);
}

/** Returns the address of a finding on the page. */
export function findingId({ findings }: Pick<Report, "findings">, finding: Finding): string {
  return `finding-${findings.indexOf(finding) + 1}`;
}
