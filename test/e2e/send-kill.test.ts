import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { amplitudeLines, writeAmplitudeRows } from "../support/generated-input.js";
import { isCi } from "../support/property-runs.js";
import { createRandom } from "../support/random.js";
import { scratchDirectory } from "../support/scratch.js";
import { runSend, type SendEnd, testSecret } from "../support/send-command.js";
import { killServicesAfterEach, startServiceProcess } from "../support/service-process.js";

const KILLS = Number(process.env["SWITCHYARD_SEND_KILLS"] ?? (isCi ? 8 : 1));
const seed = Number(process.env["KILL_SEED"] ?? Date.now() % 1_000_000);
const ROWS = 2_000;
const CONCURRENCY = 8;
/** Rate of the runs that are killed: so slow that all of them together do not reach the end. */
const slowly = ["--rate", "200,burst=16"];
/** From a start, or from the first acknowledgement after it, to the kill. */
const KILL_MS_MAX = 60;
/** One kill of so many, and the second of all, comes before the start is over. */
const KILLS_PER_EARLY = 10;

const consoleKey = `console-${"c".repeat(43)}`;
const directory = scratchDirectory("send-kill");
const random = createRandom(seed);
killServicesAfterEach();

it(`${KILLS} kills at random moments, seed ${seed}: the service has every event exactly once`, async () => {
  console.info(`KILL_SEED=${seed} repeats these kills as far as the machine's timing allows`);
  writeAmplitudeRows(join(directory, "rows.jsonl"), ROWS, 2);
  const service = await startServiceProcess(join(directory, "data"), {
    words: ["--log-level", "error"],
    env: { SWITCHYARD_CONSOLE_KEY: consoleKey, SWITCHYARD_SERVER_SECRET: testSecret },
  });
  const words = [
    "rows.jsonl",
    "--to",
    service.url,
    "--concurrency",
    String(CONCURRENCY),
    "--max-rejects",
    "1%",
    "--split-size",
    "256KiB",
  ];
  for (let kill = 0; kill < KILLS; kill++) {
    await sendAndKill([...words, ...slowly], kill % KILLS_PER_EARLY === 1);
  }
  const before = await storedIndexes(service.url);
  // Most of the kills hit a run that was sending, and none of these runs came to its end.
  expect(before.length).toBeGreaterThan(KILLS / 2);
  expect(before.length).toBeLessThan(expectedIndexes().length);

  const end = await runSend(directory, words);
  expect(end, end.stderr).toMatchObject({ exitCode: 0 });
  // Each kill repeats at most the requests that were under way in its split.
  expect(end.json.delivery.possiblyDuplicated).toBeLessThanOrEqual(KILLS * CONCURRENCY);
  expect(await storedIndexes(service.url)).toEqual(expectedIndexes());
  expect(end.json.rows.delivered).toBe(expectedIndexes().length);
  expect(readdirSync(join(directory, ".switchyard/runs"))).toHaveLength(1);
}, 600_000);

/** Kills a run some time after it was started, mostly after it has sent something. */
async function sendAndKill(words: readonly string[], early: boolean): Promise<void> {
  const end: SendEnd = await runSend(directory, words, {
    started: (child) => {
      const begun = early ? Promise.resolve() : acknowledgedMore();
      const delayMs = random() * KILL_MS_MAX;
      void begun.finally(() => setTimeout(() => child.kill("SIGKILL"), delayMs));
    },
  });
  expect(end.signal, end.stderr).toBe("SIGKILL");
}

/** Resolves once the service has acknowledged something that it had not before. */
async function acknowledgedMore(): Promise<void> {
  const before = acknowledgements();
  const hasMore = () =>
    [...acknowledgements()].some(([file, count]) => count > (before.get(file) ?? 0));
  await vi.waitUntil(hasMore, { interval: 5, timeout: 90_000 });
}

/** Acknowledged requests by the journal that tells of them. */
function acknowledgements(): ReadonlyMap<string, number> {
  const runs = join(directory, ".switchyard/runs");
  const files = namesIn(runs).flatMap((run) => {
    const journals = join(runs, run, "_switchyard/acknowledged");
    return namesIn(journals).map((name) => join(journals, name));
  });
  return new Map(files.map((file) => [file, textOf(file).split("\n+").length - 1]));
}

function namesIn(path: string): readonly string[] {
  return existsSync(path) ? readdirSync(path) : [];
}

/** The journal of a split goes when the split is done, be it while we look. */
function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

function expectedIndexes(): number[] {
  return amplitudeLines(0, ROWS, 2)
    .trimEnd()
    .split("\n")
    .flatMap((line, index) => (line.includes('"broken') ? [] : [index]));
}

async function storedIndexes(url: string): Promise<number[]> {
  const indexes: number[] = [];
  for (const day of ["2026-01-01", "2026-01-02"]) {
    let cursor: string | null = "";
    while (cursor !== null) {
      const query: string = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
      const response = await fetch(`${url}/v1/events?day=${day}&limit=1000${query}`, {
        headers: { "SERVICE-API-KEY": consoleKey },
      });
      const page = (await response.json()) as {
        readonly data: readonly { readonly metadata: { readonly index: number } }[];
        readonly nextCursor: string | null;
      };
      indexes.push(...page.data.map(({ metadata }) => metadata.index));
      cursor = page.nextCursor;
    }
  }
  return indexes.sort((a, b) => a - b);
}
