import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyActions } from "../../src/ledger/apply-actions.js";
import type { RunRecord } from "../../src/ledger/ledger.js";
import { nothingMerged } from "../../src/ledger/merge-state.js";
import {
  type DecidedEpoch,
  emptyActions,
  type OutputAction,
  resumeActions,
} from "../../src/ledger/output-actions.js";
import { findIncomplete, type ListedFile } from "../../src/ledger/output-listing.js";
import { directoryFiles } from "../../src/output/directory-files.js";
import { layoutOf } from "../../src/output/layout.js";
import { splitIdOf } from "../../src/plan/plan.js";
import type { PartFile } from "../../src/sinks/sink.js";
import { propertyRuns } from "../support/property-runs.js";
import { scratchDirectory } from "../support/scratch.js";

const scratch = scratchDirectory("output-actions");
const layout = layoutOf("/out", "events");
const MANIFEST = "manifest.json";

/** The content of a record: the parts of a split, and those that wait to be joined. */
interface Split {
  readonly parts: readonly PartFile[];
  readonly staged?: readonly PartFile[];
}

/** An output in memory: what `applyActions` changes on a disk. */
class Disk {
  /** Files by path; those of the ledger have their content. */
  constructor(
    readonly files = new Map<string, ListedFile | Split | { readonly record: RunRecord }>(),
  ) {}

  copy(): Disk {
    return new Disk(new Map(this.files));
  }

  listing(): ReadonlyMap<string, ListedFile> {
    return new Map(
      [...this.files].filter((file): file is [string, ListedFile] => "owner" in file[1]),
    );
  }

  splitsOf(epoch: number): ReadonlyMap<string, Split> {
    const directory = epoch === 0 ? "_switchyard/splits/" : `_switchyard/epochs/${epoch}/splits/`;
    return new Map(
      [...this.files].flatMap(([path, file]) =>
        path.startsWith(directory)
          ? [[path.slice(directory.length, -".json".length), file as Split]]
          : [],
      ),
    );
  }

  planOf(epoch: number): RunRecord | undefined {
    const plan = this.files.get(planPath(epoch)) as { readonly record: RunRecord } | undefined;
    return plan?.record;
  }

  /** Does some steps; of the last one, only `within` of its files. */
  apply(actions: readonly OutputAction[], within = Number.POSITIVE_INFINITY): void {
    actions.forEach((action, index) => {
      const isLast = index === actions.length - 1;
      switch (action.kind) {
        case "forget":
          for (const path of [...this.files.keys()])
            if (path.startsWith(`${action.directory}/`)) this.files.delete(path);
          return;
        case "remove":
          for (const path of action.paths.slice(0, isLast ? within : undefined))
            this.files.delete(path);
          return;
        case "move": {
          const file = this.files.get(action.from) as ListedFile;
          this.files.delete(action.from);
          this.files.set(action.to, { ...file, kind: "waiting", day: "" });
          return;
        }
        case "plan":
          this.files.set(planPath(action.epoch), { record: action.record });
          return;
        case "prepare":
          return;
      }
    });
  }
}

function planPath(epoch: number): string {
  return epoch === 0 ? "_switchyard/plan.json" : `_switchyard/epochs/${epoch}/plan.json`;
}

/** Decides as a start of a run does, from what is on the disk. `wanted`: the number of epochs of its inputs. */
function actionsFor(disk: Disk, wanted: number): readonly OutputAction[] {
  const listing = disk.listing();
  const epochs: DecidedEpoch[] = [];
  for (let epoch = 0; ; epoch++) {
    const record = disk.planOf(epoch);
    if (record === undefined) {
      if (epoch < wanted) epochs.push(newEpoch(epoch));
      break;
    }
    const splits = disk.splitsOf(epoch);
    const whole = [...splits].map(([id, split]) => ({ ...split, id }));
    const incomplete = new Set(findIncomplete(listing, whole, new Set()).map(({ id }) => id));
    const isLost = ({ id, staged = [] }: (typeof whole)[number]) =>
      incomplete.has(id) ||
      !staged.every(({ path }) => listing.has(path) || listing.has(stagedPath(path)));
    const dropped = whole.filter(isLost).map(({ id }) => id);
    const finished = new Map([...splits].filter(([id]) => !dropped.includes(id)));
    const isIntact = dropped.length === 0 && disk.files.has(MANIFEST);
    const state = isIntact ? "intact" : "changed";
    epochs.push({ epoch, record, finished, merges: nothingMerged, dropped, state });
  }
  if (epochs.every(({ state }) => state === "intact")) return [];
  return resumeActions(layout, { listing, canMove: true, epochs, joined: new Set() });
}

function newEpoch(epoch: number): DecidedEpoch {
  const record = { startedAt: `epoch ${epoch}` } as RunRecord;
  const nothing = { finished: new Map(), merges: nothingMerged, dropped: [] };
  return { epoch, record, ...nothing, state: "added" };
}

function stagedPath(path: string): string {
  return `_switchyard/staged/${path.replaceAll("/", "+")}`;
}

function partOf(id: string, day: string, index: number): PartFile {
  return { path: `events/${day}/part-${id}-${index}.parquet`, day, bytes: 10 } as PartFile;
}

const fileOf = (kind: ListedFile["kind"], owner: string, day = ""): ListedFile => ({
  kind,
  owner,
  day,
  bytes: 10,
});

/** The fate of a split before the run starts. */
const fates = ["absent", "whole", "partLost", "noRecord", "stagedInDay", "staged"] as const;

interface Scenario {
  readonly epochs: readonly (readonly (typeof fates)[number][])[];
  readonly hasManifest: boolean;
  readonly isGrown: boolean;
  readonly isFresh: boolean;
  /** After how many steps, and files of the last one, each attempt is killed. */
  readonly kills: readonly { readonly steps: number; readonly within: number }[];
}

const scenarios: fc.Arbitrary<Scenario> = fc.record({
  epochs: fc.array(fc.array(fc.constantFrom(...fates), { maxLength: 5 }), { maxLength: 2 }),
  hasManifest: fc.boolean(),
  isGrown: fc.boolean(),
  isFresh: fc.boolean(),
  kills: fc.array(fc.record({ steps: fc.nat(14), within: fc.nat(4) }), { maxLength: 3 }),
});

function diskOf({ epochs, hasManifest }: Scenario): Disk {
  const disk = new Disk();
  if (hasManifest) disk.files.set(MANIFEST, fileOf("waiting", ""));
  epochs.forEach((splits, epoch) => {
    disk.files.set(planPath(epoch), { record: newEpoch(epoch).record });
    const directory = planPath(epoch).replace("plan.json", "splits");
    splits.forEach((fate, index) => {
      if (fate === "absent") return;
      const id = splitIdOf(index, epoch);
      const parts = [partOf(id, "2024-01-01", 0), partOf(id, "2024-01-02", 1)];
      const staged = fate.startsWith("staged") ? [partOf(id, "2024-01-03", 2)] : undefined;
      const there = fate === "partLost" ? parts.slice(1) : parts;
      for (const { path, day } of there) disk.files.set(path, fileOf("part", id, day));
      disk.files.set(`rejects/part-${id}.jsonl`, fileOf("waiting", id));
      for (const { path, day } of staged ?? []) {
        if (fate === "stagedInDay") disk.files.set(path, fileOf("part", id, day));
        else disk.files.set(stagedPath(path), fileOf("waiting", id));
      }
      if (fate === "noRecord") return;
      disk.files.set(`${directory}/${id}.json`, { parts, ...(staged && { staged }) });
    });
  });
  return disk;
}

function decide(
  disk: Disk,
  { isFresh, isGrown, epochs: known }: Scenario,
): readonly OutputAction[] {
  if (!isFresh) return actionsFor(disk, known.length + (isGrown ? 1 : 0));
  const nothing = { listing: new Map(), canMove: true, joined: new Set<string>() };
  const first = resumeActions(layout, { ...nothing, epochs: [newEpoch(0)] });
  return [...emptyActions(layout, [disk.listing()]), ...first];
}

describe("the steps of a start", () => {
  it("lead to the same output after kills at any step", () => {
    fc.assert(
      fc.property(scenarios, (scenario) => {
        const disk = diskOf(scenario);
        const quiet = disk.copy();
        quiet.apply(decide(quiet, scenario));
        for (const { steps, within } of scenario.kills)
          disk.apply(decide(disk, scenario).slice(0, steps), within);
        disk.apply(decide(disk, scenario));
        expect(new Map([...disk.files].sort())).toEqual(new Map([...quiet.files].sort()));
      }),
      { numRuns: propertyRuns(3_000) },
    );
  });

  it("leave no file without its record, and no record without its files", () => {
    fc.assert(
      fc.property(scenarios, (scenario) => {
        const disk = diskOf(scenario);
        const actions = decide(disk, scenario);
        if (actions.length === 0) return;
        disk.apply(actions);
        const listing = disk.listing();
        const recorded = [0, 1, 2].flatMap((epoch) => [...disk.splitsOf(epoch)]);
        expect(
          findIncomplete(
            listing,
            recorded.map(([, split]) => split),
            new Set(),
          ),
        ).toEqual([]);
        const owners = new Set([...listing.values()].map(({ owner }) => owner));
        expect([...owners].filter((owner) => !recorded.some(([id]) => id === owner))).toEqual([]);
        expect(disk.files.has(MANIFEST)).toBe(false);
      }),
      { numRuns: propertyRuns(1_000) },
    );
  });

  it("remove the manifest before they move or remove any file", () => {
    fc.assert(
      fc.property(scenarios, (scenario) => {
        const before = diskOf({ ...scenario, hasManifest: true });
        const actions = decide(before, scenario);
        for (let steps = 0; steps <= actions.length; steps++) {
          const disk = before.copy();
          disk.apply(actions.slice(0, steps), 1);
          if (!disk.files.has(MANIFEST)) continue;
          expect(disk.listing()).toEqual(before.listing());
        }
      }),
      { numRuns: propertyRuns(300) },
    );
  });

  it("remove the manifest, then records, then files, and write plans last", () => {
    const id = "000000";
    const disk = diskOf({
      epochs: [["partLost", "staged"]],
      hasManifest: false,
      isGrown: true,
      isFresh: false,
      kills: [],
    });
    expect(actionsFor(disk, 2)).toEqual([
      { kind: "remove", paths: [MANIFEST, "events-by-day.jsonl", "inputs.jsonl"] },
      { kind: "forget", directory: "_switchyard/merges" },
      {
        kind: "remove",
        paths: ["", ".events", ".profile", ".duplicates"].map(
          (of) => `_switchyard/splits/${id}${of}.json`,
        ),
      },
      ...["merges", "splits", "acknowledged", "keys"].map((name) => ({
        kind: "forget",
        directory: `_switchyard/epochs/1/${name}`,
      })),
      { kind: "prepare", epoch: 0 },
      { kind: "prepare", epoch: 1 },
      {
        kind: "remove",
        paths: [`events/2024-01-02/part-${id}-1.parquet`, `rejects/part-${id}.jsonl`],
      },
      { kind: "plan", epoch: 0, record: { startedAt: "epoch 0" } },
      { kind: "plan", epoch: 1, record: { startedAt: "epoch 1" } },
    ]);
  });
});

it("steps on a disk remove and move files, and directories that become empty", async () => {
  const directory = join(scratch, "disk");
  const write = (path: string) => {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), "text");
  };
  const files = [
    "events/day=2024-01-01/event=a/part-000000-0.parquet",
    "events/2024-01-02/part-000000-0.parquet",
    "events/2024-01-03/part-000000-0.parquet",
    "events/2024-01-03/part-000001-0.parquet",
    "_switchyard/merges/plan.json",
    MANIFEST,
  ];
  for (const path of files) write(path);
  await applyActions(directoryFiles(directory), layoutOf(directory, "events"), [
    { kind: "forget", directory: "_switchyard/merges" },
    { kind: "forget", directory: "_switchyard/absent" },
    { kind: "remove", paths: [MANIFEST, "inputs.jsonl", ...files.slice(0, 3), "absent/file"] },
    { kind: "move", from: files[3] ?? "", to: "_switchyard/staged/moved" },
  ]);
  const left = readdirSync(directory, { recursive: true, encoding: "utf8" }).filter((path) =>
    statSync(join(directory, path)).isFile(),
  );
  expect(left).toEqual(["_switchyard/staged/moved"]);
  expect(readdirSync(join(directory, "events"))).toEqual(["2024-01-03"]);
  expect(existsSync(join(directory, "_switchyard/merges"))).toBe(false);
});
