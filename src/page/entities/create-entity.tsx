import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { Dialog, DialogButtons } from "../../ui/dialog.js";
import { ErrorNotice } from "../../ui/feedback.js";
import { TextField } from "../../ui/fields.js";
import { ApiError } from "../api/client.js";
import type { Kind } from "../editing/kinds.js";

/** Creates an entity by its name; everything else is set on its page. */
export function CreateButton({ kind }: { kind: Kind }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <button type="button" class="primary" onClick={() => setIsOpen(true)}>
        New {kind.noun}
      </button>
      {isOpen && <CreateDialog kind={kind} onClose={() => setIsOpen(false)} />}
    </>
  );
}

function CreateDialog({ kind, onClose }: { kind: Kind; onClose: () => void }) {
  const { route } = useLocation();
  const [name, setName] = useState("");
  const [description, setDescription] = useState("");
  const [error, setError] = useState<Error>();
  const faults = error instanceof ApiError ? error.errors : [];
  const faultOf = (property: string) =>
    faults.find((fault) => fault.property === property)?.errorMessage;
  const create = async (event: Event) => {
    event.preventDefault();
    try {
      const { data } = await kind.operations.create({
        body: { name, description, ...first(kind, name) },
      });
      route(`/${kind.root}/${encodeURIComponent(data.id)}`);
    } catch (failure) {
      setError(failure as Error);
    }
  };
  const shownElsewhere = ["name", "description"];
  const isElsewhere =
    faults.length > 0 && faults.every((one) => shownElsewhere.includes(one.property));
  return (
    <Dialog title={`New ${kind.noun}`} onClose={onClose}>
      <form onSubmit={create}>
        <TextField
          label="Name"
          value={name}
          onInput={setName}
          required
          fault={faultOf("name")}
          hint="3 to 100 letters, digits, spaces, _ - and . The ID is made from it and never changes."
        />
        <TextField
          label="Description"
          value={description}
          onInput={setDescription}
          rows={2}
          fault={faultOf("description")}
        />
        {error !== undefined && !isElsewhere && <ErrorNotice error={error} />}
        <DialogButtons action="Create" onClose={onClose} />
      </form>
    </Dialog>
  );
}

/** A new gate or config is off until somebody turns it on. */
function first({ root }: Kind, name: string): object {
  if (root === "gates" || root === "configs") return { isEnabled: false };
  if (root === "qualifying-events") return eventsNamed(name);
  return root === "segments" ? { type: "rule_based" } : {};
}

/** The source of a qualifying event: the events of its name, as an export has them. */
function eventsNamed(name: string): object {
  return {
    sql: `SELECT * FROM events WHERE event = '${name.replaceAll("'", "''")}'`,
    timestampColumn: "timestamp",
    idTypeMapping: [{ serviceUnitID: "userID", column: "userID" }],
  };
}
