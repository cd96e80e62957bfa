import { useState } from "preact/hooks";
import { formatCount } from "../../base/format-count.js";
import { formatNumberOf } from "../../report/quantities.js";
import { Dialog, DialogButtons } from "../../ui/dialog.js";
import { Empty, ErrorNotice, Skeleton } from "../../ui/feedback.js";
import { TextField } from "../../ui/fields.js";
import { Section } from "../../ui/section.js";
import { say } from "../../ui/toasts.js";
import { useLoad } from "../../ui/use-load.js";
import { api } from "../api/client.js";
import type { Entity } from "../editing/kinds.js";
import { changes } from "../live.js";

const IDS_PER_PAGE = 100;

/** IDs that the question before a step lists. */
const IDS_SHOWN_MAX = 20;

interface SegmentIDsProps {
  readonly segment: Entity;
  readonly isWriter: boolean;
}

/** The change that is made with the IDs that were typed. */
type Step = "add" | "remove";

/** The ids of a segment that is a list. Many are added or removed at once. */
export function SegmentIDs({ segment, isWriter }: SegmentIDsProps) {
  const { id } = segment;
  const [page, setPage] = useState(1);
  const [text, setText] = useState("");
  const [step, setStep] = useState<Step>();
  const { value, error, reload } = useLoad(`${id} ${page} ${changes.value}`, (signal) =>
    api.listSegmentIDs({ id, page, limit: IDS_PER_PAGE, signal }),
  );
  const ids = [...new Set(text.split(/[\s,;]+/).filter((one) => one !== ""))];
  const total = value?.pagination.totalItems ?? 0;
  return (
    <Section title="IDs">
      {isWriter && (
        <>
          <TextField
            label="Add or remove IDs"
            rows={3}
            value={text}
            onInput={setText}
            hint="One a line, or separated by commas or spaces."
          />
          <div class="buttons">
            <button
              type="button"
              class="primary"
              disabled={ids.length === 0}
              onClick={() => setStep("add")}
            >
              Add {ids.length > 0 && formatCount(ids.length)}
            </button>
            <button
              type="button"
              class="quiet"
              disabled={ids.length === 0}
              onClick={() => setStep("remove")}
            >
              Remove {ids.length > 0 && formatCount(ids.length)}
            </button>
          </div>
          {step !== undefined && (
            <StepDialog
              segment={segment}
              ids={ids}
              step={step}
              onDone={() => setText("")}
              onClose={() => setStep(undefined)}
            />
          )}
        </>
      )}
      {error !== undefined && <ErrorNotice error={error} retry={reload} />}
      {value === undefined && error === undefined && <Skeleton lines={4} />}
      {value !== undefined && total === 0 && <Empty title="The list is empty" />}
      {value !== undefined && total > 0 && (
        <>
          <p class="rule-rest soft">{formatNumberOf(total, "ID")}</p>
          <ul class="id-list">
            {value.data.map((one) => (
              <li key={one}>
                <code>{one}</code>
              </li>
            ))}
          </ul>
          <div class="buttons">
            <button
              type="button"
              class="quiet"
              disabled={page === 1}
              onClick={() => setPage(page - 1)}
            >
              Previous
            </button>
            <button
              type="button"
              class="quiet"
              disabled={page * IDS_PER_PAGE >= total}
              onClick={() => setPage(page + 1)}
            >
              Next
            </button>
          </div>
        </>
      )}
    </Section>
  );
}

interface StepDialogProps {
  readonly segment: Entity;
  readonly ids: readonly string[];
  readonly step: Step;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Says how many IDs come or go, and does it only for the version that the user sees. */
function StepDialog({ segment, ids, step, onDone, onClose }: StepDialogProps) {
  const { id, name } = segment;
  const [seen] = useState(segment.version);
  const [error, setError] = useState<Error>();
  const verb = step === "add" ? "Add" : "Remove";
  const count = formatNumberOf(ids.length, "ID");
  const act = async () => {
    try {
      const call = step === "add" ? api.addSegmentIDs : api.removeSegmentIDs;
      await call({ id, body: { ids: [...ids] }, ifMatch: String(seen) });
      changes.value++;
      say(`${count} ${step === "add" ? "added" : "removed"}.`);
      onDone();
      onClose();
    } catch (failure) {
      setError(failure as Error);
    }
  };
  return (
    <Dialog title={`${verb} ${count}?`} onClose={onClose}>
      <p>
        {step === "add"
          ? `These are in ${name} at once. Those that are in it already stay.`
          : `These are not in ${name} any more, at once. Those that are not in it do not matter.`}
      </p>
      <ul class="id-list">
        {ids.slice(0, IDS_SHOWN_MAX).map((one) => (
          <li key={one}>
            <code>{one}</code>
          </li>
        ))}
      </ul>
      {ids.length > IDS_SHOWN_MAX && (
        <p class="soft">and {formatCount(ids.length - IDS_SHOWN_MAX)} more</p>
      )}
      {segment.version !== seen && (
        <p class="warning" role="alert">
          {segment.lastModifierName ?? "Somebody"} has changed it meanwhile. Close this and look
          again.
        </p>
      )}
      {error !== undefined && <ErrorNotice error={error} />}
      <DialogButtons action={verb} onAct={act} onClose={onClose} />
    </Dialog>
  );
}
