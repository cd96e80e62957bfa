import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { longTest } from "../support/long-test.js";
import { createRandom } from "../support/random.js";
import { distinctNumbers, repeatedLine, repeatedRows } from "../support/repeated-rows.js";
import { scratchDirectory } from "../support/scratch.js";
import { runSend, testSecret } from "../support/send-command.js";
import { killServicesAfterEach, startServiceProcess } from "../support/service-process.js";

const seed = Number(process.env["SWITCHYARD_SEED"] ?? Date.now() % 1_000_000);
const consoleKey = `console-${"c".repeat(43)}`;
killServicesAfterEach();

async function startService(directory: string): Promise<string> {
  const service = await startServiceProcess(join(directory, "data"), {
    words: ["--log-level", "error"],
    env: { SWITCHYARD_CONSOLE_KEY: consoleKey, SWITCHYARD_SERVER_SECRET: testSecret },
  });
  return service.url;
}

/** The days of `repeatedRows`. */
const days = ["15", "16", "17", "18", "19", "20"].map((day) => `2025-06-${day}`);

/** Numbers of the events that the service has stored, in order. */
async function storedNumbers(url: string): Promise<readonly number[]> {
  const numbers: number[] = [];
  for (const day of days) {
    for (let cursor: string | null = ""; cursor !== null; ) {
      const from: string = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
      const response = await fetch(`${url}/v1/events?day=${day}&limit=1000${from}`, {
        headers: { "SERVICE-API-KEY": consoleKey },
      });
      const page = (await response.json()) as {
        readonly data: readonly { readonly metadata: { readonly n: number } }[];
        readonly nextCursor: string | null;
      };
      numbers.push(...page.data.map(({ metadata }) => metadata.n));
      cursor = page.nextCursor;
    }
  }
  return numbers.sort((one, other) => one - other);
}

longTest(
  `sends each insert id of a day once, also after kills, seed ${seed}`,
  async () => {
    const directory = scratchDirectory("send-dedupe");
    const rows = repeatedRows(3_000, 900, createRandom(seed));
    rows.forEach((_, index) => {
      if (index % 750 !== 0) return;
      const text = rows.slice(index, index + 750).map((row) => `${repeatedLine(row)}\n`);
      writeFileSync(join(directory, `rows-${index / 750}.jsonl`), text.join(""));
    });
    const url = await startService(directory);
    const words = ["rows-*.jsonl", "--to", url, "--max-rejects", "10%", "--dedupe"];
    const small = ["--split-size", "64KiB", "--batch-size", "20"];
    for (let kill = 0; kill < 3; kill++) {
      await runSend(directory, [...words, ...small, "--rate", "800,burst=20"], {
        started: (child) => setTimeout(() => child.kill("SIGKILL"), 1_200),
      });
    }
    const end = await runSend(directory, [...words, ...small]);
    expect(end, end.stderr).toMatchObject({ exitCode: 0 });
    expect(await storedNumbers(url)).toEqual(distinctNumbers(rows, "day"));
  },
  120_000,
);

it("stores nothing twice when another migration overlaps, with keys of insert ids", async () => {
  const directory = scratchDirectory("send-idempotency");
  const rows = repeatedRows(1_500, 800, createRandom(seed + 1)).filter(({ id }) => id !== null);
  const write = (name: string, from: number, to: number) =>
    writeFileSync(
      join(directory, name),
      rows
        .slice(from, to)
        .map((row) => `${repeatedLine(row)}\n`)
        .join(""),
    );
  write("june.jsonl", 0, 900);
  write("overlap.jsonl", 500, rows.length);
  const url = await startService(directory);
  const words = ["--to", url, "--max-rejects", "10%", "--dedupe", "--idempotency", "insertID"];
  for (const name of ["june.jsonl", "overlap.jsonl"]) {
    const end = await runSend(directory, [name, ...words]);
    expect(end, end.stderr).toMatchObject({ exitCode: 0 });
  }
  expect(await storedNumbers(url)).toEqual(distinctNumbers(rows, "day"));
  const refused = await runSend(directory, ["june.jsonl", ...words, "--batch-size", "2"]);
  expect(refused.exitCode).toBe(2);
  expect(refused.json.error?.message).toContain("needs --batch-size 1");
}, 120_000);
