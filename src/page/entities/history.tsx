import { useState } from "preact/hooks";
import { Dialog, DialogButtons } from "../../ui/dialog.js";
import { ErrorNotice, Skeleton } from "../../ui/feedback.js";
import { Section } from "../../ui/section.js";
import { Time } from "../../ui/time.js";
import { say } from "../../ui/toasts.js";
import { useLoad } from "../../ui/use-load.js";
import { api } from "../api/client.js";
import { versionChanges } from "../editing/edit-changes.js";
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
  const [restored, setRestored] = useState<Entity>();
  const { value, error, reload } = useLoad(`${id} ${version}`, (signal) =>
    kind.operations.versions({ id, limit: VERSIONS_SHOWN_MAX, signal }),
  );
  if (error !== undefined) return <ErrorNotice error={error} retry={reload} />;
  if (value === undefined) return <Skeleton lines={8} />;
  const versionOf = (number: number) => value.data.find((one) => one.version === number);
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
              <button type="button" class="link" onClick={() => setRestored(one)}>
                Restore<span class="visually-hidden"> version {one.version}</span>
              </button>
            )}
            {opened === one.version && (
              <Difference kind={kind} from={versionOf(one.version - 1)} to={one} />
            )}
          </li>
        ))}
      </ul>
      {restored !== undefined && (
        <RestoreDialog
          kind={kind}
          current={entity}
          restored={restored}
          onClose={() => setRestored(undefined)}
        />
      )}
    </Section>
  );
}

interface DifferenceProps {
  readonly kind: Kind;
  /** Absent if it is older than the versions that are shown. */
  readonly from: Entity | undefined;
  readonly to: Entity;
  /** Default: the version before `to`. */
  readonly fromVersion?: number;
}

/** The changes between two versions, with rules as sentences. */
function Difference({ kind, from, to, fromVersion = to.version - 1 }: DifferenceProps) {
  const { id, version } = to;
  const { value, error, reload } = useLoad(`${id} ${fromVersion} ${version}`, (signal) =>
    api.compareVersions({ entityType: kind.type, id, from: fromVersion, to: version, signal }),
  );
  if (error !== undefined) return <ErrorNotice error={error} retry={reload} />;
  if (value === undefined) return <Skeleton lines={2} />;
  const found = value.data;
  return <ChangeList changes={from === undefined ? found : versionChanges(from, to, found)} />;
}

interface RestoreDialogProps {
  readonly kind: Kind;
  readonly current: Entity;
  readonly restored: Entity;
  readonly onClose: () => void;
}

/** Shows what a restored version changes, before it does. */
function RestoreDialog({ kind, current, restored, onClose }: RestoreDialogProps) {
  const [error, setError] = useState<Error>();
  const { version } = restored;
  const restore = async () => {
    try {
      const ifMatch = String(current.version);
      await kind.operations.restore({ id: current.id, body: { version }, ifMatch });
      changes.value++;
      say(`Version ${version} is back.`);
      onClose();
    } catch (failure) {
      setError(failure as Error);
    }
  };
  return (
    <Dialog title={`Restore version ${version}?`} onClose={onClose}>
      <p>This changes at once:</p>
      <Difference kind={kind} from={current} to={restored} fromVersion={current.version} />
      {error !== undefined && <ErrorNotice error={error} />}
      <DialogButtons action="Restore" onAct={restore} onClose={onClose} />
    </Dialog>
  );
}
