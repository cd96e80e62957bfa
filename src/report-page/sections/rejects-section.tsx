import { formatCount } from "../../base/format-count.js";
import type { Finding, ReportReject } from "../../profile/report.js";
import { formatNumberOf } from "../../report/quantities.js";
import { harmless } from "../../report/terminal-text.js";
import { Details, Preformatted } from "../../ui/blocks.js";
import { Section } from "../../ui/section.js";
import { partText, shown } from "../../ui/text.js";
import { positionText } from "../elements/display-text.js";
import type { ReportProps } from "../elements/view-state.js";
import { FixLine, isInRejects } from "./findings-section.js";

const SAMPLES_OPEN = 2;

export function RejectsSection({ report }: ReportProps) {
  const { rejects, rows, findings } = report;
  return (
    <Section
      id="rejects"
      title="Rejects"
      none={rejects.length === 0 && "No row was rejected."}
      lead={`${formatNumberOf(rows.rejected, "row")} of ${formatCount(rows.read)} cannot become events. An export keeps them in a directory of rejects, so that you can retry them when the cause is fixed.`}
    >
      {rejects.map((reject) => (
        <Reject
          key={reject}
          reject={reject}
          read={rows.read}
          finding={findings.find(
            (one) => one.rejectCode === reject.code && isInRejects(report, one),
          )}
        />
      ))}
    </Section>
  );
}

interface RejectProps {
  readonly reject: ReportReject;
  /** Rows read. */
  readonly read: number;
  readonly finding: Finding | undefined;
}

function Reject({ reject: { code, rows, advice, samples }, read, finding }: RejectProps) {
  const accepted = finding?.acceptedBecause === undefined ? "" : ", accepted by maxRejects";
  const rest = samples.slice(SAMPLES_OPEN);
  return (
    <article class="reject">
      <h3>
        <code>{shown(code)}</code>
      </h3>
      <p class="reject-rows">
        {`${formatNumberOf(rows, "row")}, ${partText(rows, read)}${accepted}`}
      </p>
      <p>
        <strong>What to do: </strong>
        {`${shown(advice).replace(/\.$/, "")}.`}
      </p>
      {finding?.fix !== undefined && <FixLine fix={finding.fix} />}
      <RawRows samples={samples.slice(0, SAMPLES_OPEN)} />
      {rest.length > 0 && (
        <Details summary={formatNumberOf(rest.length, "more row")} isScreenOnly>
          <RawRows samples={rest} />
        </Details>
      )}
    </article>
  );
}

function RawRows({ samples }: Pick<ReportReject, "samples">) {
  return samples.map((sample) => {
    const where = positionText(sample);
    return (
      <figure class="raw-row" key={sample}>
        <figcaption>
          <strong>{shown(sample.message)}</strong>
          <span class="position">
            {where}
            {sample.isBase64 && " (not UTF-8, shown as base64)"}
          </span>
        </figcaption>
        <Preformatted label={`Row at ${where}`}>{harmless(sample.raw)}</Preformatted>
      </figure>
    );
  });
}
