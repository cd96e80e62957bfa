import { afterEach, describe, expect, test } from "vitest";
import type { ListedMigration, Migration } from "../../src/contract/migration.js";
import { keyRecord, newKeyText } from "../../src/http/key-text.js";
import { endedAttempt, endedStep, heldJournals, journal, journalId } from "../support/journal.js";
import { startTestService, type TestService } from "../support/service.js";

const path = "/console/v1/migrations";
let service: TestService | undefined;

afterEach(() => service?.close());

async function serving(...journals: readonly (Migration | string)[]): Promise<TestService> {
  service = await startTestService({ journals: heldJournals(...journals) });
  return service;
}

describe("the list of migrations", () => {
  test("is empty for a service that keeps nothing", async () => {
    service = await startTestService();
    const { status, json } = await service.call({ path });
    expect({ status, json }).toMatchObject({ status: 200, json: { data: [], skipped: [] } });
  });

  test("has each in short, and names what it skips", async () => {
    const { call } = await serving(journal, "it is not valid JSON");
    const { json } = await call<readonly ListedMigration[]>({ path });
    expect(json.data).toEqual([
      {
        id: journalId,
        name: "acme",
        configuration: "/data/acme/pipeline.config.json",
        destination: "/data/acme/out",
        updatedTime: 9_000,
        attempt: endedAttempt,
        steps: [{ name: "validate", state: "done" }],
        progress: null,
        accounts: endedStep.accounts,
        tone: "warning",
      },
    ]);
    expect(json).toMatchObject({
      skipped: [{ file: "x.json", reason: "it is not valid JSON" }],
      pagination: { totalItems: 1 },
    });
  });

  test("has pages", async () => {
    const others = ["aaaaaaaaaaaa", "bbbbbbbbbbbb"].map((id) => ({ ...journal, id }));
    const { call } = await serving(journal, ...others);
    const { json } = await call<readonly ListedMigration[]>({ path: `${path}?limit=1&page=2` });
    expect(json.data.map(({ id }) => id)).toEqual(["aaaaaaaaaaaa"]);
    expect(json.pagination).toMatchObject({ totalItems: 3, nextPage: `${path}?page=3&limit=1` });
  });

  test("shows the progress of the step that runs", async () => {
    const running = { ...endedStep, state: "running", accounts: null } as const;
    const { call } = await serving({ ...journal, steps: [endedStep, running] });
    const { json } = await call<readonly ListedMigration[]>({ path });
    expect(json.data[0]).toMatchObject({
      progress: running.progress,
      accounts: endedStep.accounts,
    });
  });
});

describe("a migration", () => {
  test("is answered whole, and as 304 until it changes", async () => {
    const { call } = await serving(journal);
    const first = await call<Migration>({ path: `${path}/${journalId}` });
    expect(first.json.data).toEqual(journal);
    const headers = { "if-none-match": first.headers["etag"] ?? "" };
    expect((await call({ path: `${path}/${journalId}`, headers })).status).toBe(304);
    await service?.close();
    const later = await serving({ ...journal, updatedTime: 9_001 });
    expect((await later.call({ path: `${path}/${journalId}`, headers })).status).toBe(200);
  });

  test("that is damaged or not there is a 404 with a sentence", async () => {
    const { call } = await serving();
    expect(await call({ path: `${path}/${journalId}` })).toMatchObject({
      status: 404,
      json: { message: "Migration not found." },
    });
    await service?.close();
    const damaged = await serving("it is not valid JSON");
    expect(await damaged.call({ path: `${path}/${journalId}` })).toMatchObject({
      status: 404,
      json: {
        message: `The journal ${journalId}.json cannot be shown: it is not valid JSON. Remove it, or run the migration again.`,
      },
    });
  });

  test.each(["..%2f..%2fetc%2fpasswd", "%2e%2e", "0123456789AB", "0123456789abc", "serve.lock"])(
    "has no id such as %s",
    async (id) => {
      const { call } = await serving(journal);
      expect((await call({ path: `${path}/${id}` })).status).toBe(404);
      expect((await call({ path: `${path}/${id}/report` })).status).toBe(404);
    },
  );

  test("needs a key with the scope migrations:read", async () => {
    const { call, store } = await serving(journal);
    const withScope = async (scope: string) => {
      const key = newKeyText("console");
      const facts = { kind: "console", createdTime: 0, scopes: [scope] } as const;
      await store.keys.insert(keyRecord(key, facts));
      const statuses = ["", `/${journalId}`, `/${journalId}/report`].map(
        async (rest) => (await call({ path: `${path}${rest}`, key })).status,
      );
      return Promise.all(statuses);
    };
    expect(await withScope("migrations:read")).toEqual([200, 200, 200]);
    expect(await withScope("gates:read")).toEqual([403, 403, 403]);
    expect((await call({ path, key: null })).status).toBe(401);
  });
});

describe("the report of a migration", () => {
  test("is its page, with the page's own policy, and only in frames of this origin", async () => {
    const { call } = await serving(journal);
    const { status, headers } = await call({ path: `${path}/${journalId}/report` });
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "content-security-policy":
        "default-src 'none'; script-src 'sha256-x='; frame-ancestors 'self'",
      "x-content-type-options": "nosniff",
    });
  });

  test("that is gone, or was never written, is a 404 with a sentence", async () => {
    const gone = { ...journal.validation, reportPath: "/gone/report.html" };
    const { call } = await serving({ ...journal, validation: gone } as Migration);
    expect(await call({ path: `${path}/${journalId}/report` })).toMatchObject({
      status: 404,
      json: {
        message:
          "The report is gone: /gone/report.html is missing or was replaced. Run the dry run again.",
      },
    });
    await service?.close();
    const without = await serving({ ...journal, validation: null });
    expect((await without.call({ path: `${path}/${journalId}/report` })).json.message).toBe(
      "The migration has no report: its dry run did not end.",
    );
  });
});
