import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { LinkFile, LinkFileWriter } from "../../src/identity/link-file.js";
import { LinkRecords } from "../../src/identity/link-records.js";
import type { LinkForm, LinkRule } from "../../src/identity/link-rules.js";
import { type Identity, LinkResolver } from "../../src/identity/resolve-links.js";
import { propertyRuns } from "../support/property-runs.js";
import { createRandom } from "../support/random.js";
import { scratchDirectory } from "../support/scratch.js";
import { compare, joinByBruteForce, type LogLink, type Row } from "./brute-force.js";

const root = scratchDirectory("resolve-links");
const signal = new AbortController().signal;

const forms: Readonly<Record<LinkForm, LogLink["evidence"]>> = {
  user: "event",
  same: "alias",
  list: "merge",
  person: "person",
  member: "merge",
  numbers: "merge",
};

const uuid = (number: number) =>
  `0190${String(number).padStart(4, "0")}-1111-7111-8111-111111111111`;

/** Returns a log with chains, shared devices, merges and placeholder ids among few ids. */
function randomLog(seed: number): readonly LogLink[] {
  const random = createRandom(seed);
  const below = (limit: number) => Math.floor(random() * limit);
  const ids = 3 + below(30);
  const device = () =>
    random() < 0.03 ? "null" : `${random() < 0.2 ? "$device:" : ""}${uuid(below(ids))}`;
  const user = () => (random() < 0.03 ? "0" : `user-${below(ids)}`);
  const any = () => (random() < 0.5 ? device() : user());
  const usedForms = (Object.keys(forms) as LinkForm[]).filter(() => random() < 0.6);
  const used: readonly LinkForm[] = usedForms.length === 0 ? ["user"] : usedForms;
  return Array.from({ length: 1 + below(3 * ids) }, (): LogLink => {
    const form = used[below(used.length)] as LinkForm;
    const timeMs = below(20);
    const isUser = form === "member" && random() < 0.5;
    const base = { form, evidence: forms[form], timeMs, isUser };
    const number = () => String(below(ids));
    const plainDevice = () => device().replace("$device:", "");
    const ends: Readonly<Record<LinkForm, () => Partial<LogLink> & Pick<LogLink, "from" | "to">>> =
      {
        user: () => ({
          evidence: (["event", "identify", "alias"] as const)[below(3)] ?? "event",
          from: random() < 0.1 ? user() : device(),
          to: random() < 0.1 ? device() : user(),
        }),
        same: () => ({ from: any(), to: any() }),
        list: () => ({ from: JSON.stringify([any(), any(), any()]), to: "" }),
        person: () => ({ from: random() < 0.7 ? plainDevice() : user(), to: number() }),
        member: () => ({ from: number(), to: isUser ? user() : plainDevice() }),
        numbers: () => ({ from: number(), to: number() }),
      };
    return { ...base, ...ends[form]() };
  });
}

/** Writes a log as a run of some splits would, and resolves it. */
async function resolve(
  log: readonly LogLink[],
  { seed, partitionBytes }: { readonly seed: number; readonly partitionBytes: number },
): Promise<{ readonly rows: readonly Identity[]; readonly apart: number }> {
  const random = createRandom(seed);
  const directory = join(root, String(directories++));
  mkdirSync(directory);
  const writers = [0, 1, 2].map((split) => new LinkFileWriter(join(directory, `${split}`)));
  const shuffled = [...log].sort(() => random() - 0.5);
  for (const link of shuffled) {
    const writer = writers[Math.floor(random() * 3)] as LinkFileWriter;
    const { form, evidence, isUser } = link;
    const rule: LinkRule = { form, evidence, from: [], to: [], ...(isUser && { isUser }) };
    const records = new LinkRecords(
      rule,
      "$device:",
      (record) => writer.add(record),
      () => undefined,
    );
    records.add(link);
    // A link is repeated in other runs and splits.
    if (random() < 0.2) records.add({ ...link, timeMs: link.timeMs + 5 });
    if (random() < 0.3) writer.endRun();
  }
  for (const writer of writers) writer.endRun();
  const hasStatements = writers.some((writer) => writer.hasStatements);
  const files = writers.map((writer) => new LinkFile(writer.path, writer.close()));
  const temporaryPath = join(directory, "moved");
  const options = { temporaryPath, memoryBytes: 2 ** 30, hasStatements, partitionBytes, signal };
  const resolver = new LinkResolver(files, options);
  const rows: Identity[] = [];
  await resolver.resolve(async (some) => {
    rows.push(...some);
  });
  return { rows, apart: resolver.apart };
}

let directories = 0;

const pairs = (rows: readonly Identity[]) =>
  rows
    .map(({ anonymousID, userID }): Row => [anonymousID, userID])
    .sort(([a], [b]) => compare(a, b));

describe("links of random logs", () => {
  it("join the ids that sets of texts join, in any order of rows and splits", async () => {
    let joined = 0;
    let shared = 0;
    const base = Number(process.env["SWITCHYARD_SEED"] ?? 1) * 100_000;
    for (let run = 0; run < propertyRuns(3_000); run++) {
      const log = randomLog(base + run);
      const expected = joinByBruteForce(log);
      const one = await resolve(log, { seed: run, partitionBytes: 2 ** 30 });
      expect(pairs(one.rows), `seed ${base + run}`).toEqual(expected);
      const other = await resolve(log, { seed: run + 1, partitionBytes: 64 });
      expect(other, `seed ${base + run}`).toEqual(one);
      joined += expected.filter(([, user]) => user !== undefined).length;
      shared += expected.filter(([, user]) => user === undefined).length;
    }
    expect(joined).toBeGreaterThan(500);
    expect(shared).toBeGreaterThan(50);
  });
});
