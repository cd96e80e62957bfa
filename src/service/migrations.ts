import { createHash } from "node:crypto";
import type { ListedMigration, Migration, migrationRoutes } from "../contract/migration.js";
import type { Handlers } from "../http/handler.js";
import { notFound, ServiceError } from "../http/service-error.js";
import type { MigrationJournals } from "../storage/migration-journals.js";
import { pageAnswer, sliceOf } from "./pagination.js";

/** A data directory in memory has no journals. */
export const noJournals: MigrationJournals = {
  list: async () => ({ migrations: [], skipped: [] }),
  read: async () => undefined,
  readReport: async () => undefined,
};

/** Answers what runs of migrations wrote into their journals. */
export function migrationHandlers(journals: MigrationJournals): Handlers<typeof migrationRoutes> {
  async function find(id: string): Promise<Migration> {
    const found = await journals.read(id);
    if (found === undefined) throw notFound("Migration");
    if (typeof found !== "string") return found;
    throw new ServiceError({
      status: 404,
      message: `The journal ${id}.json cannot be shown: ${found}. Remove it, or run the migration again.`,
    });
  }

  return {
    async listMigrations(call) {
      const { migrations, skipped } = await journals.list();
      const { start, count } = sliceOf(call.query);
      const items = migrations.slice(start, start + count).map(listedOf);
      const page = pageAnswer(call, { items, totalItems: migrations.length });
      const content = { ...page.content, skipped };
      return { content, digest: digestOf(content) };
    },

    async readMigration({ params: { id } }) {
      const data = await find(id);
      return { content: { data }, digest: digestOf(data) };
    },

    async readMigrationReport({ params: { id } }) {
      const { validation } = await find(id);
      const path = validation?.reportPath ?? undefined;
      const report = path === undefined ? undefined : await journals.readReport(path);
      if (report === undefined) {
        const message =
          path === undefined
            ? "The migration has no report: its dry run did not end."
            : `The report is gone: ${path} is missing or was replaced. Run the dry run again.`;
        throw new ServiceError({ status: 404, message });
      }
      const headers = {
        "content-type": "text/html; charset=utf-8",
        // Ignored in the meta element of the page.
        "content-security-policy": `${report.policy}; frame-ancestors 'self'`,
        "referrer-policy": "no-referrer",
      };
      return { status: 200, headers, body: report.html };
    },
  };
}

function listedOf({ attempts, steps, validation, ...migration }: Migration): ListedMigration {
  const { id, name, configuration, destination, updatedTime } = migration;
  return {
    id,
    name,
    configuration,
    destination,
    updatedTime,
    // The schema asks for at least one.
    attempt: attempts.at(-1) as Migration["attempts"][number],
    steps: steps.map(({ name, state }) => ({ name, state })),
    progress: steps.find(({ state }) => state === "running")?.progress ?? null,
    accounts: steps.findLast(({ accounts }) => accounts !== null)?.accounts ?? null,
    tone: validation?.tone ?? null,
  };
}

function digestOf(content: object): string {
  return createHash("sha256").update(JSON.stringify(content)).digest("hex").slice(0, 32);
}
