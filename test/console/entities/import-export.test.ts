import { afterEach, expect, it } from "vitest";
import { type ConsoleClient, createConsoleClient } from "../../../src/console/client.js";
import { applyImport, writesOf } from "../../../src/console/entities/apply-import.js";
import {
  type EntityFile,
  entityFiles,
  givenFile,
  kindAt,
} from "../../../src/console/entities/entity-files.js";
import { entityKindRows, type GivenFile } from "../../../src/console/entities/entity-kinds.js";
import type { Settings } from "../../../src/console/entities/entity-settings.js";
import { planImport } from "../../../src/console/entities/import-plan.js";
import { readEntities } from "../../../src/console/entities/read-entities.js";
import type { Loose } from "../../evaluation/oracle.js";
import { randomWorld } from "../../evaluation/random-world.js";
import { someOf } from "../../support/property-runs.js";
import { startTestService, type TestService } from "../../support/service.js";

const { signal } = new AbortController();
const services: TestService[] = [];
afterEach(async () => {
  for (const service of services.splice(0)) await service.close();
});

async function newConsole(): Promise<ConsoleClient> {
  const service = await startTestService();
  services.push(service);
  const baseUrl = await service.app.http.listen({ host: "127.0.0.1", port: 0 });
  return createConsoleClient({ baseUrl, key: service.keys.console });
}

function given(directory: string, content: Settings, file = `${directory}/x.json`): GivenFile {
  const row = entityKindRows.find((one) => one.directory === directory);
  if (row === undefined) throw new Error(`no kind ${directory}`);
  return { row, file, content };
}

async function imported(client: ConsoleClient, files: readonly GivenFile[], prune = false) {
  const plan = planImport(files, await readEntities(client, signal), { prune });
  return { plan, applied: await applyImport(plan, client, signal) };
}

const exported = async (client: ConsoleClient) => [
  ...entityFiles(await readEntities(client, signal)),
];

const parsed = (files: readonly EntityFile[]) =>
  files.map(({ path, text }) => {
    const row = kindAt(path.split("/")[0] ?? "");
    if (row === undefined) throw new Error(`no kind at ${path}`);
    return givenFile(row, path, text);
  });

const left = ({ version: _, defaultValue, ...settings }: Settings) => settings;

/** Segments cannot have conditions about time, nor for all. */
const isOfSegments = ({ conditions }: Loose) =>
  (conditions as Loose[]).every(({ type }) => type !== "public" && type !== "time");

/** Every kind of entities in every state that has a file. */
function filesOf(seed: number): GivenFile[] {
  const world = randomWorld(seed);
  const states = [
    "setup",
    "active",
    "assignment_stopped",
    "decision_made",
    "abandoned",
    "archived",
  ];
  const named = (settings: Settings) => ({ name: String(settings["id"]), ...settings });
  const source = { sql: "SELECT 1", timestampColumn: "at", idTypeMapping: [] };
  return [
    ...Object.values(world.gates).map((gate) =>
      given("gates", {
        ...left(named(gate)),
        ...(world.overrides[gate["id"]] && { overrides: world.overrides[gate["id"]] }),
        rules: gate["rules"],
      }),
    ),
    ...Object.values(world.segments).map(({ isEnabled: _, targetApps: __, ...segment }) =>
      given("segments", {
        ...left(named(segment)),
        rules: (segment["rules"] as Loose[]).filter(isOfSegments),
        ...(segment["type"] === "id_list" && { ids: world.lists["listed"] }),
      }),
    ),
    ...Object.values(world.holdouts).map((holdout, index) =>
      given("holdouts", { ...left(named(holdout)), isArchived: index === 1 }),
    ),
    ...Object.values(world.configs).map((config) =>
      given("dynamic_configs", { ...named(config), version: undefined }),
    ),
    ...states.map((status, index) =>
      given("experiments", {
        id: `e${status}`,
        name: `Experiment ${index}`,
        status,
        groups: [
          { name: "Control", size: 40, id: "c" },
          { name: "Test", size: 60, id: "t" },
        ],
        ...(status === "decision_made" && { launchedGroupID: "t", decisionReason: "won" }),
        ...(status === "setup" && { scheduledTime: 2 ** 42 }),
        overrides: {
          overrides: [{ type: "gate", id: "gate_1", groupID: "c", environment: null }],
          userIDOverrides: [],
        },
      }),
    ),
    // The service gives the identifiers.
    given("gates", {
      id: "bare",
      name: "bare",
      rules: [{ name: "r", passPercentage: 1, conditions: [], environments: ["live"] }],
    }),
    given("dynamic_configs", {
      id: "bare_config",
      name: "bare_config",
      rules: [{ name: "r", conditions: [], variants: [{ name: "v", passPercentage: 30 }] }],
    }),
    given("segments", {
      id: "bare_segment",
      name: "bare_segment",
      type: "rule_based",
      rules: [{ name: "r", passPercentage: 100, conditions: [] }],
    }),
    given("experiments", {
      id: "bare_experiment",
      name: "bare_experiment",
      groups: [
        { name: "Control", size: 50 },
        { name: "Test", size: 50 },
      ],
    }),
    given("layers", {
      id: "layer",
      name: "A layer",
      parameters: [{ name: "color", type: "string", defaultValue: "grey" }],
    }),
    given("prompts", {
      name: "two",
      content: { name: "new" },
      published: { name: "old", model: "m" },
    }),
    given("prompts", {
      name: "one",
      published: { name: "same" },
      content: { name: "same" },
      isArchived: true,
    }),
    given("tags", { name: "core", isCore: true }),
    given("unit_id_types", { name: "companyID" }),
    given("target_apps", { name: "Web" }),
    given("target_apps", { name: "web" }),
    given("qualifying_events", { name: "Signed up / 1", ...source }),
    given("environments", { environments: [{ name: "live", isProduction: true }] }),
  ].map((file, index) => ({
    ...file,
    file: `${index}`,
    content: JSON.parse(JSON.stringify(file.content)),
  }));
}

it.each(someOf([1, 2, 3, 4, 5, 6, 7, 8], 4))(
  "an export that is imported into an empty service is exported again byte for byte: world %d",
  { timeout: 120_000 },
  async (seed) => {
    const first = await newConsole();
    const files = filesOf(seed);
    const made = await imported(first, files);
    expect(made.plan.filter(({ action }) => action === "refused")).toEqual([]);
    expect(made.applied.failed).toEqual([]);
    // What is written is there, whatever its file left out.
    const second = planImport(files, await readEntities(first, signal), { prune: true });
    expect(second.filter(({ action }) => action !== "unchanged")).toEqual([]);

    const whole = await exported(first);
    const empty = await newConsole();
    const copied = await imported(empty, parsed(whole), true);
    expect(copied.applied.failed).toEqual([]);
    expect(await exported(empty)).toEqual(whole);
    const plan = planImport(parsed(whole), await readEntities(empty, signal), { prune: true });
    expect(writesOf(plan)).toBe(0);
    expect(whole.map(({ path }) => path)).toEqual(
      expect.arrayContaining([
        "environments.json",
        "gates/gate_0.json",
        "target_apps/Web.json",
        "target_apps/%77%65%62.json",
        "qualifying_events/Signed%20up%20%2f%201.json",
      ]),
    );
  },
);
