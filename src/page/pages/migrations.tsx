import { Empty, ErrorNotice, Skeleton } from "../../ui/feedback.js";
import { useLoad } from "../../ui/use-load.js";
import { usePolling } from "../../ui/use-polling.js";
import { api } from "../api/client.js";
import { MigrationCard } from "../migrations/migration-card.js";

const LISTED_MAX = 100;

/** The migrations of this data directory, the newest first. */
export function Migrations() {
  const { value, error, reload } = useLoad("migrations", (signal) =>
    api.listMigrations({ limit: LISTED_MAX, signal }),
  );
  usePolling(reload, true);
  return (
    <>
      <header class="page-head">
        <h1>Migrations</h1>
      </header>
      {error !== undefined && <ErrorNotice error={error} retry={reload} />}
      {value === undefined && error === undefined && <Skeleton lines={6} />}
      {value?.data.length === 0 && (
        <Empty title="No migration has run here yet">
          <p>
            Begin one in a terminal with <code>switchyard init your-export/</code>, then{" "}
            <code>switchyard migrate</code>. It appears here as it runs.
          </p>
        </Empty>
      )}
      <ul class="cards">
        {value?.data.map((migration) => (
          <MigrationCard key={migration.id} migration={migration} />
        ))}
      </ul>
      {value?.skipped.map(({ file, reason }) => (
        <p class="notice" key={file}>
          <code>{file}</code> is not shown: {reason}
        </p>
      ))}
    </>
  );
}
