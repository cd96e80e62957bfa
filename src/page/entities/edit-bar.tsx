import { useState } from "preact/hooks";
import { formatNumberOf } from "../../report/quantities.js";
import { Dialog } from "../../ui/dialog.js";
import { ErrorNotice } from "../../ui/feedback.js";
import { say } from "../../ui/toasts.js";
import { useLoad } from "../../ui/use-load.js";
import { api } from "../api/client.js";
import type { Draft } from "../editing/draft.js";
import { editChanges, versionChanges } from "../editing/edit-changes.js";
import type { Kind } from "../editing/kinds.js";
import { ChangeList } from "./audit-table.js";
import { Impact } from "./impact.js";

/** Tells that edits are not saved, and offers to review, save or discard them. */
export function EditBar({ kind, draft }: { kind: Kind; draft: Draft }) {
  const [isReviewed, setIsReviewed] = useState(false);
  const { edits, faults, warnings, error, isSaving, newer, conflict } = draft;
  const count = Object.keys(edits).length;
  const save = async () => {
    if (!(await draft.save())) return;
    setIsReviewed(false);
    say(`${draft.entity.name} is saved.`);
  };
  const discard = () => say("Your changes are discarded.", draft.discard());
  return (
    <section class="edit-bar" aria-label="Changes that are not saved">
      <p role="status">
        {count} {count === 1 ? "field" : "fields"} changed, not saved
        {faults.length > 0 && <span class="fault"> · {faults.length} to fix first</span>}
        {warnings.length > 0 && (
          <span class="warning"> · {formatNumberOf(warnings.length, "warning")}</span>
        )}
      </p>
      <button type="button" class="quiet" onClick={discard}>
        Discard
      </button>
      <button type="button" class="quiet" onClick={() => setIsReviewed(true)}>
        Review
      </button>
      <button
        type="button"
        class="primary"
        disabled={isSaving || faults.length > 0}
        onClick={() => void save()}
      >
        Save
      </button>
      {newer !== undefined && (
        <p class="warning">
          {newer.lastModifierName ?? "Somebody"} has changed it meanwhile.{" "}
          <button type="button" class="link" onClick={draft.decide}>
            Show what
          </button>
        </p>
      )}
      {error !== undefined && <ErrorNotice error={error} />}
      {isReviewed && (
        <Dialog title="What will change" onClose={() => setIsReviewed(false)}>
          <Impact kind={kind} draft={draft} />
          <ChangeList changes={editChanges(draft.stored, edits)} />
          <div class="buttons">
            <button
              type="button"
              class="primary"
              disabled={isSaving || faults.length > 0}
              onClick={() => void save()}
            >
              Save
            </button>
            <button type="button" class="quiet" onClick={() => setIsReviewed(false)}>
              Close
            </button>
          </div>
        </Dialog>
      )}
      {conflict !== undefined && <Conflict kind={kind} draft={draft} />}
    </section>
  );
}

/** Somebody else has saved meanwhile: shows what they changed, and asks. */
function Conflict({ kind, draft }: { kind: Kind; draft: Draft }) {
  const { stored, conflict, edits } = draft;
  const theirs = conflict?.data;
  const { value, error } = useLoad(`${stored.version} ${theirs?.version}`, (signal) =>
    api.compareVersions({
      entityType: kind.type,
      id: stored.id,
      from: stored.version,
      to: theirs?.version ?? stored.version,
      signal,
    }),
  );
  if (theirs === undefined) return null;
  // An edit replaces the whole field: `rules`, not one of them.
  const changed = (value?.data ?? []).map(({ property }) => property.split(/[.[]/)[0] ?? "");
  const both = [...new Set(changed)].filter((field) => field in edits);
  return (
    <Dialog
      title={`${theirs.lastModifierName ?? "Somebody"} has changed it meanwhile`}
      onClose={draft.postpone}
    >
      {error !== undefined && <ErrorNotice error={error} />}
      {value !== undefined && <ChangeList changes={versionChanges(stored, theirs, value.data)} />}
      {both.length > 0 && (
        <p class="warning">
          You have changed {both.join(", ")}, too: your values would replace theirs.
        </p>
      )}
      <div class="buttons">
        <button type="button" class="primary" onClick={draft.rebase}>
          Keep my changes on top of theirs
        </button>
        <button type="button" class="quiet" onClick={draft.discard}>
          Discard mine
        </button>
      </div>
    </Dialog>
  );
}
