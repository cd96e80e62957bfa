import { useState } from "preact/hooks";
import { formatCount } from "../../report/quantities.js";
import { Empty, ErrorNotice, Skeleton } from "../../ui/feedback.js";
import { TextField } from "../../ui/fields.js";
import { Section } from "../../ui/section.js";
import { say } from "../../ui/toasts.js";
import { useLoad } from "../../ui/use-load.js";
import { api } from "../api/client.js";
import { changes } from "../live.js";

const IDS_PER_PAGE = 100;

/** The ids of a segment that is a list. Many are added or removed at once. */
export function SegmentIDs({ id, isWriter }: { id: string; isWriter: boolean }) {
  const [page, setPage] = useState(1);
  const [text, setText] = useState("");
  const [failure, setFailure] = useState<Error>();
  const { value, error, reload } = useLoad(`${id} ${page} ${changes.value}`, (signal) =>
    api.listSegmentIDs({ id, page, limit: IDS_PER_PAGE, signal }),
  );
  const ids = [...new Set(text.split(/[\s,;]+/).filter((one) => one !== ""))];
  const change = async (verb: "added" | "removed") => {
    setFailure(undefined);
    try {
      const call = verb === "added" ? api.addSegmentIDs : api.removeSegmentIDs;
      await call({ id, body: { ids } });
      changes.value++;
      say(`${formatCount(ids.length)} IDs ${verb}.`);
      setText("");
    } catch (caught) {
      setFailure(caught as Error);
    }
  };
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
              onClick={() => void change("added")}
            >
              Add {ids.length > 0 && formatCount(ids.length)}
            </button>
            <button
              type="button"
              class="quiet"
              disabled={ids.length === 0}
              onClick={() => void change("removed")}
            >
              Remove {ids.length > 0 && formatCount(ids.length)}
            </button>
          </div>
          {failure !== undefined && <ErrorNotice error={failure} />}
        </>
      )}
      {error !== undefined && <ErrorNotice error={error} retry={reload} />}
      {value === undefined && error === undefined && <Skeleton lines={4} />}
      {value !== undefined && total === 0 && <Empty title="The list is empty" />}
      {value !== undefined && total > 0 && (
        <>
          <p class="rule-rest soft">{formatCount(total)} IDs</p>
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
