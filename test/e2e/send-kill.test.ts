import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { amplitudeLines, writeAmplitudeRows } from "../support/generated-input.js";
import { createRandom } from "../support/random.js";
import { scratchDirectory } from "../support/scratch.js";
import { runSend, type SendEnd, testSecret } from "../support/send-command.js";
import { killServicesAfterEach, startServiceProcess } from "../support/service-process.js";

const KILLS = Number(process.env["SWITCHYARD_SEND_KILLS"] ?? (process.env["CI"] ? 50 : 4));
const seed = Number(process.env["KILL_SEED"] ?? Date.now() % 1_000_000);
const ROWS = 3_000;
const CONCURRENCY = 8;
/** Of a run that nobody disturbs, about; the rate sees to it. */
const RUN_MS = 2_000;
/** Until the first event is sent, about. */
const START_MS = 400;

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
    ...[
      "rows.jsonl",
      "--to",
      service.url,
      "--rate",
      String((ROWS / RUN_MS) * 1000),
      "--burst",
      "1",
    ],
    ...["--concurrency", String(CONCURRENCY), "--max-rejects", "1%", "--split-size", "256KiB"],
  ];
  let kills = 0;
  let end: SendEnd | undefined;
  while (end === undefined) {
    end = await runOrKill(
      words,
      kills < KILLS ? START_MS + (random() * 2 * RUN_MS) / KILLS : undefined,
    );
    if (end === undefined) kills++;
  }
  expect(kills).toBeGreaterThan(KILLS / 4);
  expect(end, end.stderr).toMatchObject({ exitCode: 0 });
  // Of each kill no more than what was under way, in each of the splits that it may have hit.
  expect(end.json.delivery.possiblyTwice).toBeLessThanOrEqual(kills * CONCURRENCY);
  expect(await storedIndexes(service.url)).toEqual(expectedIndexes());
  expect(end.json.rows.delivered).toBe(expectedIndexes().length);
  expect(readdirSync(join(directory, ".switchyard/runs"))).toHaveLength(1);
}, 600_000);

/** undefined when the kill came before the end. */
async function runOrKill(
  words: readonly string[],
  afterMs: number | undefined,
): Promise<SendEnd | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const end = await runSend(directory, words, {
    env: { SWITCHYARD_SERVER_SECRET: testSecret },
    started: (child) => {
      if (afterMs !== undefined) timer = setTimeout(() => child.kill("SIGKILL"), afterMs);
    },
  });
  clearTimeout(timer);
  return end.signal === "SIGKILL" ? undefined : end;
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
