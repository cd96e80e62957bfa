import { useState } from "preact/hooks";
import { Dialog, DialogButtons } from "../../ui/dialog.js";
import { ErrorNotice, UnsavedNotice } from "../../ui/feedback.js";
import { TextField } from "../../ui/fields.js";
import { say } from "../../ui/toasts.js";
import { ApiError } from "../api/client.js";
import type { Entity, Kind } from "../editing/kinds.js";
import { changes } from "../live.js";
import { isArchived } from "./entity-list.js";

interface ArchiveButtonProps {
  readonly kind: Kind;
  readonly entity: Entity;
  /** True if there are edits that are not saved. */
  readonly isEdited: boolean;
}

/** Archives with a reason, or takes it back. */
export function ArchiveButton(props: ArchiveButtonProps) {
  const { entity } = props;
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <button type="button" class="quiet" onClick={() => setIsOpen(true)}>
        {isArchived(entity) ? "Unarchive" : "Archive"}
      </button>
      {isOpen && <ArchiveDialog {...props} onClose={() => setIsOpen(false)} />}
    </>
  );
}

interface ArchiveDialogProps extends ArchiveButtonProps {
  readonly onClose: () => void;
}

function ArchiveDialog({ kind, entity, isEdited, onClose }: ArchiveDialogProps) {
  const [reason, setReason] = useState("");
  const [error, setError] = useState<Error>();
  const wasArchived = isArchived(entity);
  const { operations } = kind;
  // Nobody archives on top of a version that they have not seen.
  const [ifMatch] = useState(String(entity.version));
  const act = async (force: boolean) => {
    try {
      if (wasArchived) {
        const body = { unarchiveReason: reason };
        await operations.unarchive({ id: entity.id, body, ifMatch });
      } else {
        const body = { archiveReason: reason, forceArchive: force };
        await operations.archive({ id: entity.id, body, ifMatch });
      }
      changes.value++;
      say(`${entity.name} is ${wasArchived ? "back" : "archived"}.`);
      onClose();
    } catch (failure) {
      setError(failure as Error);
    }
  };
  // The service says what uses it, and names its option.
  const references = /^(.* is referenced by .*: )remove the references/s.exec(error?.message ?? "");
  const isReferenced = !wasArchived && error instanceof ApiError && references !== null;
  return (
    <Dialog title={`${wasArchived ? "Unarchive" : "Archive"} ${entity.name}?`} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void act(false);
        }}
      >
        <p>
          {wasArchived
            ? `The ${kind.noun} comes back as it was.`
            : `The ${kind.noun} leaves the lists, and everyone gets its default. It can come back.`}
        </p>
        <TextField
          label="Reason"
          value={reason}
          onInput={setReason}
          required={!wasArchived}
          hint="Others read it in the history."
        />
        {isEdited && <UnsavedNotice />}
        {isReferenced && (
          <ErrorNotice
            error={new Error(`${references[1]}remove it there, or archive it all the same.`)}
          />
        )}
        {error !== undefined && !isReferenced && <ErrorNotice error={error} />}
        <DialogButtons
          action={wasArchived ? "Unarchive" : "Archive"}
          disabled={isEdited}
          onClose={onClose}
        >
          {isReferenced && (
            <button type="button" class="quiet danger" onClick={() => void act(true)}>
              Archive it all the same
            </button>
          )}
        </DialogButtons>
      </form>
    </Dialog>
  );
}
