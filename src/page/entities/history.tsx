import { useState } from "preact/hooks";
import { ErrorNotice, Skeleton } from "../../ui/feedback.js";
import { Section } from "../../ui/section.js";
import { Time } from "../../ui/time.js";
import { say } from "../../ui/toasts.js";
import { useLoad } from "../../ui/use-load.js";
import { api } from "../api/client.js";
import type { Entity, Kind } from "../editing/kinds.js";
import { changes } from "../live.js";
import { ChangeList } from "./audit-table.js";

const VERSIONS_SHOWN_MAX = 100;

interface HistoryProps {
  readonly kind: Kind;
  readonly entity: Entity;
  readonly isWriter: boolean;
}

/** The versions of an entity: what each changed, who made it, and the way back to it. */
export function History({ kind, entity, isWriter }: HistoryProps) {
  const { id, version } = entity;
  const [opened, setOpened] = useState<number>();
  const { value, error, reload } = useLoad(`${id} ${version}`, (signal) =>
    kind.operations.versions({ id, limit: VERSIONS_SHOWN_MAX, signal }),
  );
  if (error !== undefined) return <ErrorNotice error={error} retry={reload} />;
  if (value === undefined) return <Skeleton lines={8} />;
  const restore = async (to: number) => {
    try {
      await kind.operations.restore({ id, body: { version: to }, ifMatch: String(version) });
      changes.value++;
      say(`Version ${to} is back.`);
    } catch (failure) {
      say(`Version ${to} was not restored: ${(failure as Error).message}`);
    }
  };
  return (
    <Section title="Versions">
      <ul class="changes">
        {value.data.map((one) => (
          <li key={one.version}>
            <p>
              <strong>Version {one.version}</strong> by {one.lastModifierName ?? "somebody"}{" "}
              <span class="soft">
                <Time at={one.lastModifiedTime} />
              </span>
            </p>
            {one.version > 1 && (
              <button
                type="button"
                class="link"
                aria-expanded={opened === one.version}
                onClick={() => setOpened(opened === one.version ? undefined : one.version)}
              >
                {opened === one.version ? "Hide what" : "What"} changed
                <span class="visually-hidden"> in version {one.version}</span>
              </button>
            )}
            {isWriter && one.version !== version && (
              <button type="button" class="link" onClick={() => void restore(one.version)}>
                Restore<span class="visually-hidden"> version {one.version}</span>
              </button>
            )}
            {opened === one.version && <Difference kind={kind} id={id} to={one.version} />}
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Difference({ kind, id, to }: { kind: Kind; id: string; to: number }) {
  const { value, error, reload } = useLoad(`${id} ${to}`, (signal) =>
    api.compareVersions({ entityType: kind.type, id, from: to - 1, to, signal }),
  );
  if (error !== undefined) return <ErrorNotice error={error} retry={reload} />;
  return value === undefined ? <Skeleton lines={2} /> : <ChangeList changes={value.data} />;
}
