import { formatCount } from "../../base/format-count.js";
import type { MigrationReject, MigrationStep } from "../../contract/migration.js";
import { formatNumberOf } from "../../report/quantities.js";
import { Section } from "../../ui/section.js";

/** Why rows were rejected, with the first of them. */
export function Rejects({ steps }: { steps: readonly MigrationStep[] }) {
  const step = [...steps].reverse().find(({ rejects }) => rejects.length > 0);
  if (step === undefined) return null;
  return (
    <Section title="Rejected rows">
      <p class="soft">As {step.name} found them. Each is kept with its bytes.</p>
      {step.rejects.map((reject) => (
        <Reason key={reject.code} reject={reject} />
      ))}
    </Section>
  );
}

function Reason({ reject: { code, rows, advice, samples } }: { reject: MigrationReject }) {
  return (
    <details class="reason">
      <summary>
        <code>{code}</code>: {formatNumberOf(rows, "row")}
      </summary>
      {advice !== "" && <p>{advice}</p>}
      {samples.map(({ source, row, byte, message, raw, isBase64, isCut }) => (
        <figure key={`${source} ${row} ${byte}`}>
          <figcaption>
            <code>
              {source}
              {row !== null && `:${row}`}
            </code>
            {byte !== null && <span class="soft"> · byte {formatCount(byte)}</span>} · {message}
          </figcaption>
          {raw !== null && <pre>{raw}</pre>}
          {(isBase64 || isCut) && (
            <p class="soft">
              {isBase64 && "Base64, because the row is not UTF-8. "}
              {isCut && "Cut: the file of rejects has the whole row."}
            </p>
          )}
        </figure>
      ))}
    </details>
  );
}
