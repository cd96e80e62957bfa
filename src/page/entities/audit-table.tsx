import { useState } from "preact/hooks";
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
      {shown.map(({ property, before, after }) => (
        <div key={property}>
          <dt>
            <code>{property}</code>
          </dt>
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

/** Fields that every write changes. */
const bookkeeping = /^(version|lastModif\w*)$/;

/** A text as it is; anything else as JSON. */
export function valueText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value, null, 1);
}
