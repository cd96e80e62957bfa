import { describe, expect, it } from "vitest";
import { createConsoleClient } from "../../../src/console/client.js";
import { applyImport } from "../../../src/console/entities/apply-import.js";
import { fileName } from "../../../src/console/entities/entity-files.js";
import { entityKindRows, type GivenFile } from "../../../src/console/entities/entity-kinds.js";
import type { FoundEntity, Settings } from "../../../src/console/entities/entity-settings.js";
import { planImport } from "../../../src/console/entities/import-plan.js";
import { readEntities } from "../../../src/console/entities/read-entities.js";
import { routes } from "../../../src/contract/routes.js";
import { startFaultProxy } from "../../support/fault-proxy.js";
import { startTestService } from "../../support/service.js";

const rowOf = (directory: string) => {
  const row = entityKindRows.find((one) => one.directory === directory);
  if (row === undefined) throw new Error(`no kind ${directory}`);
  return row;
};
const given = (directory: string, content: Settings): GivenFile => ({
  row: rowOf(directory),
  file: `${directory}/${content["id"]}.json`,
  content,
});

function stepsFor(directory: string, wanted: Settings, settings?: Settings) {
  const id = "one";
  const file = given(directory, { id, name: id, ...wanted });
  const entity: FoundEntity = {
    id,
    version: 3,
    settings: { id, name: id, ...settings },
    partVersions: {},
  };
  const found = new Map([[file.row, settings === undefined ? [] : [entity]]]);
  const [item] = planImport([file], found, { prune: false });
  return item !== undefined && "steps" in item
    ? item.steps.map(({ operation, body }) => [operation, body])
    : item?.action;
}

describe("the calls of a plan", () => {
  const launched = { isEnabled: true, status: "Launched" };
  it.each<[Settings, Settings, unknown]>([
    [launched, launched, "unchanged"],
    [launched, { isEnabled: true, status: "In Progress" }, [["launchGate", undefined]]],
    [{ isEnabled: false }, launched, [["patchGate", { isEnabled: false }]]],
    [
      { isEnabled: false, status: "Launched" },
      launched,
      [
        ["patchGate", { isEnabled: false }],
        ["launchGate", undefined],
      ],
    ],
    [
      { isEnabled: false, status: "In Progress" },
      launched,
      [
        ["enableGate", undefined],
        ["disableGate", undefined],
      ],
    ],
    [{ isEnabled: true, status: "In Progress" }, launched, [["enableGate", undefined]]],
    [{ isEnabled: false, status: "Disabled" }, launched, [["patchGate", { isEnabled: false }]]],
    [{ isEnabled: true, status: "Archived" }, launched, [["archiveGate", { forceArchive: true }]]],
  ])("bring a gate to %j from %j", (wanted, found, steps) => {
    expect(stepsFor("gates", wanted, found)).toEqual(steps);
  });

  const to = (status: string) => ["patchExperiment", { status }];
  it.each<[string, string, unknown]>([
    ["active", "setup", [to("active")]],
    ["abandoned", "setup", [to("active"), to("abandoned")]],
    ["archived", "setup", [to("archived")]],
    ["decision_made", "active", [to("decision_made")]],
    ["setup", "active", [["resetExperiment", undefined]]],
    ["active", "archived", [["resetExperiment", undefined], to("active")]],
    ["abandoned", "decision_made", [["resetExperiment", undefined], to("active"), to("abandoned")]],
  ])("bring an experiment to %s from %s", (wanted, found, steps) => {
    expect(stepsFor("experiments", { status: wanted }, { status: found })).toEqual(steps);
  });

  it("create what others name before them, also in circles", () => {
    const gate = (id: string, ...gates: readonly string[]) =>
      given("gates", {
        id,
        name: id,
        rules: [
          {
            name: "r",
            passPercentage: 1,
            conditions: [{ type: "passes_gate", targetValue: gates }],
          },
        ],
      });
    const segment = given("segments", { id: "seg", name: "seg", type: "rule_based" });
    const held = given("gates", { id: "held", name: "held", holdoutIDs: ["out"] });
    const holdout = given("holdouts", { id: "out", name: "out", targetingGateID: "zzz" });
    const files = [
      gate("aaa", "bbb", "none"),
      gate("bbb", "zzz"),
      held,
      holdout,
      segment,
      gate("zzz"),
    ];
    const names = planImport(files, new Map(), { prune: false }).map(({ name }) => name);
    expect(names).toEqual(["seg", "zzz", "bbb", "aaa", "out", "held"]);
    const circle = planImport([gate("aaa", "bbb"), gate("bbb", "aaa")], new Map(), {
      prune: false,
    });
    expect(circle.map(({ name }) => name)).toEqual(["bbb", "aaa"]);
  });
});

it("every kind that the API creates has files, or is named in the page as one that has none", () => {
  const created = Object.keys(routes).filter((name) => name.startsWith("create"));
  const inFiles = entityKindRows.map(({ create }) => create);
  const others = ["createPromptVersion", "createSession", "createKey", "createScheduledChange"];
  expect(created.filter((name) => !inFiles.some((one) => one === name))).toEqual(
    others.filter((name) => name in routes),
  );
});

it("a change is refused if the entity was written after the plan", async () => {
  const service = await startTestService();
  const baseUrl = await service.app.http.listen({ host: "127.0.0.1", port: 0 });
  const client = createConsoleClient({ baseUrl, key: service.keys.console });
  const { signal } = new AbortController();
  await client.createGate({ body: { name: "one" } });
  const file = given("gates", { id: "one", name: "one", description: "mine" });
  const plan = planImport([file], await readEntities(client, signal), { prune: false });
  await client.patchGate({ id: "one", body: { description: "theirs" } });
  const { done, failed } = await applyImport(plan, client, signal);
  expect({ done, failed }).toEqual({
    done: [],
    failed: [{ kind: "gates", name: "one", message: expect.stringContaining("412") }],
  });
  expect((await client.readGate({ id: "one" })).data.description).toBe("theirs");
  const aborted = await applyImport(plan, client, AbortSignal.abort());
  expect(aborted).toMatchObject({
    notTried: [{ kind: "gates", name: "one" }],
    stopped: { code: "interrupted", exitCode: 130 },
  });
  await service.close();
});

it.each([
  ["lost", "done"],
  ["reset", "uncertain"],
] as const)("a call whose connection is %s is looked up in the console: %s", async (fault, end) => {
  const service = await startTestService();
  const baseUrl = await service.app.http.listen({ host: "127.0.0.1", port: 0 });
  const lost = new Set<string>();
  const proxy = await startFaultProxy(baseUrl, (_, path, method) => {
    // A reset request is never received, and the first attempt of a lost one is.
    if (method === "GET" || path.includes("good") || lost.has(path)) return undefined;
    if (fault === "lost") lost.add(path);
    return fault;
  });
  const key = service.keys.console;
  const client = createConsoleClient({ baseUrl: proxy.endpoint, key, retriesMax: 1 });
  const { signal } = new AbortController();
  await service.call({ method: "POST", path: "/console/v1/tags", body: { name: "old" } });
  await service.call({ method: "POST", path: "/console/v1/gates", body: { name: "good" } });
  const files = [
    given("gates", { id: "new", name: "new", status: "Launched" }),
    given("gates", { id: "good", name: "good", description: "changed" }),
  ];
  const plan = planImport(files, await readEntities(client, signal), { prune: true });
  const applied = await applyImport(plan, client, signal);
  const names = applied[end].map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["new", "old"]));
  expect(applied.done).toContainEqual({ kind: "gates", name: "good" });
  expect(applied).toMatchObject({ failed: [], notTried: [] });
  expect(applied.stopped).toBeUndefined();
  const again = planImport(files, await readEntities(client, signal), { prune: true });
  const left = again.filter(({ action }) => action !== "unchanged").map(({ name }) => name);
  expect(left).toEqual(fault === "lost" ? [] : ["new", "old"]);
  proxy.close();
  await service.close();
});

it.each([
  ["plain-id_1.v2", "plain-id_1.v2"],
  ["a b/c", "a%20b%2fc"],
  [".hidden.", "%2ehidden%2e"],
  ["ü", "%c3%bc"],
  ["😀", "%f0%9f%98%80"],
  ["con", "%63on"],
  ["50%", "50%25"],
])("the id %j is the file name %s, and back", (id, name) => {
  expect(fileName(id)).toBe(name);
  expect(decodeURIComponent(name)).toBe(id);
});

it("a long id is cut, with a digest", () => {
  const names = ["x", "y"].map((end) => fileName(`${"ü".repeat(200)}${end}`));
  expect(new Set(names).size).toBe(2);
  expect(names[0]?.length).toBeLessThan(230);
});

it("removes nothing of a kind while one of its files cannot be read", () => {
  const [row, other] = [rowOf("gates"), rowOf("tags")];
  const entity = { id: "one", version: 3, settings: { name: "one" }, partVersions: {} };
  const found = new Map([row, other].map((kind) => [kind, [entity]]));
  const files = [{ row, file: "gates/one.json", content: undefined, fault: "not valid JSON" }];
  const plan = planImport(files, found, { prune: true });
  expect(plan.map(({ action, kind }) => [action, kind])).toEqual([
    ["refused", "gates"],
    ["remove", "tags"],
  ]);
});
