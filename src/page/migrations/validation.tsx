import { formatCount } from "../../base/format-count.js";
import { formatShare } from "../../base/format-share.js";
import type { MigrationValidation } from "../../contract/migration.js";
import { formatNumberOf } from "../../report/quantities.js";
import { Badge } from "../../ui/feedback.js";
import { Section } from "../../ui/section.js";

interface ValidationProps {
  readonly migrationID: string;
  readonly validation: MigrationValidation;
}

const tones = { error: "error", warning: "warning", good: "good", info: "info" } as const;

/** The verdict of the last dry run, its findings, and what the target would drop. */
export function Validation({ migrationID, validation }: ValidationProps) {
  const { tone, verdict, findings, findingsLeftOut, target, reportPath, sampleShare } = validation;
  return (
    <Section title="Dry run">
      <p>
        <Badge tone={tones[tone]}>{tone === "good" ? "ready" : tone}</Badge> {verdict}
        {sampleShare < 1 && <> (read {formatShare(sampleShare, 1)} of the inputs)</>}
      </p>
      {reportPath !== null && (
        <p>
          <a href={`/console/v1/migrations/${migrationID}/report`} target="_blank" rel="noreferrer">
            Open the whole report
          </a>
        </p>
      )}
      <ul class="changes">
        {findings.map(({ code, severity, title, detail, line, event, isAccepted }) => (
          <li key={`${code} ${event ?? ""} ${title}`}>
            <p>
              <Badge tone={isAccepted ? "off" : tones[severity]}>
                {isAccepted ? "accepted" : severity}
              </Badge>{" "}
              <strong>{title}</strong>
              <br />
              <span class="soft">{detail}</span>
            </p>
            {line !== null && <pre>{line}</pre>}
          </li>
        ))}
      </ul>
      {findingsLeftOut > 0 && (
        <p class="soft">{formatNumberOf(findingsLeftOut, "further finding")} in the report</p>
      )}
      {target !== null && <Target target={target} />}
    </Section>
  );
}

/** The names that the target would drop or change. */
function Target({ target }: { target: NonNullable<MigrationValidation["target"]> }) {
  const { title, events, lost, changed, rules } = target;
  return (
    <>
      <h3>At {title}</h3>
      <p>
        Of {formatNumberOf(events, "event")}, it would drop {formatCount(lost)} and change{" "}
        {formatCount(changed)} more.
      </p>
      {rules.map(({ rule, isRepaired, events: count, names, otherNames, moreNames, sources }) => (
        <details class="reason" key={rule}>
          <summary>
            <code>{rule}</code>: {formatNumberOf(count, "event")}
            {isRepaired && ", repaired"}
          </summary>
          <ul class="ranking">
            {names.map((name) => (
              <li key={name.old}>
                <span>
                  {name.old} → {name.new}
                </span>
                <span>{formatCount(name.events)}</span>
              </li>
            ))}
          </ul>
          {otherNames > 0 && (
            <p class="soft">
              {moreNames && "at least "}
              {formatNumberOf(otherNames, "further name")}
            </p>
          )}
          {sources.length > 0 && (
            <p class="soft">
              Source:{" "}
              {sources.map((source) => (
                <a key={source} href={source} target="_blank" rel="noreferrer">
                  {source}
                </a>
              ))}
            </p>
          )}
        </details>
      ))}
    </>
  );
}
