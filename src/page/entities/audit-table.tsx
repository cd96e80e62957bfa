import { useState } from "preact/hooks";
import { formatCount } from "../../base/format-count.js";
import type { AuditEntry, PropertyChange } from "../../contract/audit-log.js";
import { ErrorNotice, Skeleton } from "../../ui/feedback.js";
import { Time } from "../../ui/time.js";
import { useLoad } from "../../ui/use-load.js";
import { api } from "../api/client.js";
import { kinds } from "../editing/kinds.js";

const verbs = { create: "created", update: "changed", delete: "removed" } as const;

/** Writes, newest first; each opens to show what it changed. */
export function AuditTable({ entries }: { entries: readonly AuditEntry[] }) {
  return (
    <ul class="changes">
      {entries.map((entry) => (
        <Entry key={entry.id} entry={entry} />
      ))}
    </ul>
  );
}

function Entry({ entry }: { entry: AuditEntry }) {
  const [isOpen, setIsOpen] = useState(false);
  const { time, actionType, entityType, entityID, toVersion, updatedBy } = entry;
  const kind = Object.values(kinds).find(({ type }) => type === entityType);
  const noun = kind?.noun ?? entityType.replaceAll("_", " ");
  // A key is changed only once, by its end.
  const verb = entityType === "key" && actionType === "update" ? "revoked" : verbs[actionType];
  return (
    <li>
      <p>
        <strong>{updatedBy ?? "Somebody"}</strong> {verb} {noun}{" "}
        {kind === undefined || actionType === "delete" ? (
          <code>{entityID}</code>
        ) : (
          <a href={`/${kind.root}/${encodeURIComponent(entityID)}`}>{entityID}</a>
        )}
        <span class="soft">
          {toVersion !== null && entityType !== "key" && <> · version {toVersion}</>} ·{" "}
          <Time at={time} />
        </span>
      </p>
      <button type="button" class="link" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
        {isOpen ? "Hide what" : "What"} changed
        <span class="visually-hidden"> in {entityID}</span>
      </button>
      {isOpen && <Changes id={entry.id} />}
    </li>
  );
}

function Changes({ id }: { id: string }) {
  const { value, error, reload } = useLoad(id, (signal) => api.readAuditLog({ id, signal }));
  if (error !== undefined) return <ErrorNotice error={error} retry={reload} />;
  if (value === undefined) return <Skeleton lines={2} />;
  return <ChangeList changes={value.data.changes} />;
}

/** Properties before and after; null if a version is gone. */
export function ChangeList({ changes }: { changes: readonly PropertyChange[] | null }) {
  if (changes === null) return <p class="soft">The versions are gone: the entity was removed.</p>;
  const shown = changes.filter(({ property }) => !bookkeeping.test(property));
  if (shown.length === 0) return <p class="soft">Nothing but the version changed.</p>;
  return (
    <dl class="differences">
      {shown.map(inShort).map(({ property, before, after }) => (
        <div key={property}>
          <dt>{fieldNames[property] ?? <code>{property}</code>}</dt>
          <dd>
            {before !== undefined && (
              <del>
                <span class="visually-hidden">before: </span>
                {valueText(before)}
              </del>
            )}
            {after !== undefined && (
              <ins>
                <span class="visually-hidden">after: </span>
                {valueText(after)}
              </ins>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** The names that forms give to fields. */
const fieldNames: Readonly<Record<string, string>> = {
  description: "Description",
  tags: "Tags",
  idType: "ID type",
  type: "Kind",
  isEnabled: "On",
  isArchived: "Archived",
  allocation: "Allocation",
  hypothesis: "Hypothesis",
  duration: "Planned duration",
  targetingGateID: "Only those who pass a gate",
  defaultValue: "Default value",
  defaultValueJson5: "Default value (JSON5)",
  schema: "Schema",
  schemaJson5: "Schema (JSON5)",
};

/** Fields that every write changes. */
const bookkeeping = /^(version|lastModif\w*)$/;

/** Characters of a value that are shown whole; of a longer one, those around what differs. */
const VALUE_CHARACTERS_MAX = 4000;
const AROUND_CHARACTERS = 200;

/** Leaves out what large values have in common, and what is still too long: it would stop the page. */
function inShort({ property, before, after }: PropertyChange): PropertyChange {
  const texts = [before, after].map((value) =>
    value === undefined ? undefined : valueText(value),
  );
  const [was = "", is = ""] = texts;
  const length = Math.max(was.length, is.length);
  if (length <= VALUE_CHARACTERS_MAX) return { property, before, after };
  let start = 0;
  while (start < Math.min(was.length, is.length) && was[start] === is[start]) start++;
  let same = 0;
  const rest = Math.min(was.length, is.length) - start;
  while (same < rest && was[was.length - 1 - same] === is[is.length - 1 - same]) same++;
  const part = (text: string | undefined) =>
    text === undefined ? undefined : cut(text, start - AROUND_CHARACTERS, text.length - same);
  return { property, before: part(texts[0]), after: part(texts[1]) };
}

/** The part of a text, at most `VALUE_CHARACTERS_MAX` characters of it, and its whole size. */
function cut(text: string, start: number, differentEnd: number): string {
  const from = Math.max(0, start);
  const end = Math.min(text.length, differentEnd + AROUND_CHARACTERS, from + VALUE_CHARACTERS_MAX);
  const shown = `${from > 0 ? "…" : ""}${text.slice(from, end)}${end < text.length ? "…" : ""}`;
  const isWhole = from === 0 && end === text.length;
  return isWhole ? text : `${shown}\n(${formatCount(text.length)} characters; shown in part)`;
}

/** A text as it is, a list of texts with commas; anything else as JSON. */
export function valueText(value: unknown): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value) && value.every((one) => typeof one === "string")) {
    return value.length === 0 ? "none" : value.join(", ");
  }
  return typeof value === "string" ? value : JSON.stringify(value, null, 1);
}
