import { useEffect, useState } from "preact/hooks";
import type { Experiment } from "../../contract/experiment.js";
import { Badge, ErrorNotice, Missing, Skeleton } from "../../ui/feedback.js";
import { Switch } from "../../ui/fields.js";
import { Tabs } from "../../ui/tabs.js";
import { Time } from "../../ui/time.js";
import { useLoad } from "../../ui/use-load.js";
import { ApiError } from "../api/client.js";
import { type Draft, useDraft } from "../editing/draft.js";
import type { Entity, EntityAnswer, Kind } from "../editing/kinds.js";
import { ExperimentResults } from "../experiments/experiment-results.js";
import { ExperimentSteps } from "../experiments/experiment-steps.js";
import { changes } from "../live.js";
import { mayWrite, shownEntity } from "../session.js";
import { ArchiveButton } from "./archive-entity.js";
import { EditBar } from "./edit-bar.js";
import { isArchived, StateBadge } from "./entity-list.js";
import { History } from "./history.js";
import { useLeaveGuard } from "./leave-guard.js";
import { References } from "./references.js";
import { Settings } from "./settings.js";
import { switchEntity } from "./switch-entity.js";
import { canTry, TryIt } from "./try-it.js";

interface EntityPageProps {
  readonly kind: Kind;
  readonly id: string;
  /** Empty for the settings. */
  readonly tab: string;
}

/** The page of one entity. */
export function EntityPage({ kind, id, tab }: EntityPageProps) {
  const { value, error, reload } = useLoad(`${kind.root} ${id} ${changes.value}`, (signal) =>
    kind.operations.read({ id, signal }),
  );
  if (value === undefined && error instanceof ApiError && error.status === 404) {
    return (
      <Missing title={`There is no ${kind.noun} ${id}`}>
        <a href={`/${kind.root}`}>Show all {kind.plural}</a>
      </Missing>
    );
  }
  if (value === undefined && error !== undefined)
    return <ErrorNotice error={error} retry={reload} />;
  if (value === undefined) return <Skeleton lines={12} />;
  return <LoadedPage kind={kind} answer={value} tab={tab} reload={reload} />;
}

interface LoadedPageProps extends Omit<EntityPageProps, "id"> {
  readonly answer: EntityAnswer;
  readonly reload: () => void;
}

function LoadedPage({ kind, answer, tab, reload }: LoadedPageProps) {
  const isWriter = mayWrite(kind.area) && !isArchived(answer.data);
  const draft = useDraft(kind, answer, { isWriter, reload });
  const { entity } = draft;
  const { id, name } = entity;
  useEffect(() => {
    shownEntity.value = { id, name };
  }, [id, name]);
  const path = `/${kind.root}/${encodeURIComponent(entity.id)}`;
  const isReferenced = kind.root === "gates" || kind.root === "segments";
  const tabs = [
    [path, kind.hasRules ? "Rules" : "Settings"],
    ...(canTry(kind) ? [[`${path}/try`, "Try it"] as const] : []),
    ...(kind.root === "experiments" ? [[`${path}/results`, "Results"] as const] : []),
    [`${path}/history`, "History"],
    ...(isReferenced ? [[`${path}/references`, "Used by"] as const] : []),
  ] as const;
  const current = tab === "" ? path : `${path}/${tab}`;
  useLeaveGuard(draft.isEdited, path);
  if (!tabs.some(([href]) => href === current)) {
    return (
      <Missing title="There is no such page">
        <a href={path}>Show the {kind.noun}</a>
      </Missing>
    );
  }
  return (
    <>
      <Head kind={kind} entity={answer.data} isWriter={isWriter} draft={draft} />
      <Tabs label={`Parts of ${entity.name}`} tabs={tabs} current={current} />
      {tab === "" && <Settings kind={kind} draft={draft} isWriter={isWriter} />}
      {tab === "results" && <ExperimentResults experiment={answer.data as unknown as Experiment} />}
      {tab === "try" && canTry(kind) && <TryIt kind={kind} draft={draft} />}
      {tab === "history" && <History kind={kind} entity={answer.data} isWriter={isWriter} />}
      {tab === "references" && <References kind={kind} id={entity.id} />}
      {draft.isEdited && <EditBar kind={kind} draft={draft} />}
    </>
  );
}

interface HeadProps {
  readonly kind: Kind;
  readonly entity: Entity;
  readonly isWriter: boolean;
  readonly draft: Draft;
}

function Head({ kind, entity, isWriter, draft }: HeadProps) {
  const [isBusy, setIsBusy] = useState(false);
  const { isEdited } = draft;
  const hasSwitch = kind.root === "gates" || kind.root === "configs";
  return (
    <header class="entity-head">
      <p class="crumbs">
        <a href={`/${kind.root}`}>{kind.title}</a>
      </p>
      <div class="entity-title">
        <h1>{entity.name}</h1>
        {isArchived(entity) ? (
          <Badge tone="warning">Archived</Badge>
        ) : hasSwitch ? (
          <Switch
            label={entity.name}
            isOn={entity.isEnabled === true}
            disabled={!isWriter || isBusy}
            onChange={async (isOn) => {
              setIsBusy(true);
              const note = isEdited ? " Your changes to the rest are not saved." : "";
              const saved = await switchEntity(kind, entity, isOn, { note });
              if (saved !== undefined) draft.follow(entity.version, saved);
              setIsBusy(false);
            }}
          />
        ) : (
          <StateBadge entity={entity} />
        )}
        <span class="spread" />
        {kind.root === "experiments" && isWriter && (
          <ExperimentSteps experiment={entity as unknown as Experiment} isEdited={isEdited} />
        )}
        {mayWrite(kind.area) && <ArchiveButton kind={kind} entity={entity} isEdited={isEdited} />}
      </div>
      <p class="soft">
        <code>{entity.id}</code> · version {entity.version} · changed{" "}
        <Time at={entity.lastModifiedTime} />
        {entity.lastModifierName !== null && <> by {entity.lastModifierName}</>}
      </p>
    </header>
  );
}
