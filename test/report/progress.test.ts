import { expect, test } from "vitest";
import type { RunProgress } from "../../src/ledger/run-observer.js";
import { showProgress } from "../../src/report/progress.js";
import { widthOf } from "../../src/report/terminal-text.js";
import { FakeClock } from "./fake-clock.js";

const moment: RunProgress = {
  threads: [{ source: "a.json", rows: 0 }],
  bytesTotal: 100e6,
  bytesDone: 0,
  rows: 0,
  rejects: 0,
  splitsTotal: 4,
  splitsDone: 0,
};

function collect(terminal?: { columns: number; rows: number }) {
  const written: string[] = [];
  const stream = { write: (text: string) => written.push(text), isTTY: terminal !== undefined };
  return { written, stream: { ...stream, ...terminal } };
}

/** Returns what a terminal shows after these writes; knows the few codes that progress uses. */
function screenOf(written: readonly string[]): string[] {
  const lines = [""];
  let row = 0;
  for (const [index, chunk] of written.join("").split("\u001b").entries()) {
    const [, count, command, text = ""] = /^(?:\[(\d+)([AJ]))?(.*)$/s.exec(chunk) ?? [];
    if (index > 0 && command === undefined) throw new Error(`unknown escape: ${chunk}`);
    if (command === "A") row -= Number(count);
    if (command === "J") lines.splice(row, lines.length, "");
    for (const [part, words] of text.split("\n").entries()) {
      if (part > 0) lines[++row] ??= "";
      lines[row] += words;
    }
  }
  return lines;
}

test("writes a plain line every five seconds if it is not on a terminal", () => {
  const { written, stream } = collect();
  const clock = new FakeClock();
  const display = showProgress(stream, clock);
  let current = moment;
  display.observer.started?.(() => current);
  clock.advance(4_999);
  expect(written).toEqual([]);
  current = { ...moment, rows: 1_500_000, bytesDone: 25e6, rejects: 3 };
  clock.advance(1);
  expect(written).toEqual([
    "1,500,000 rows · 300,000 rows/s · 5.00 MB/s · 3 rejected · 25.0 % · 15 s left\n",
  ]);
  display.stop();
  expect(clock.repeating).toBe(0);
});

test("does not count the bytes of an earlier run as speed", () => {
  const { written, stream } = collect();
  const clock = new FakeClock();
  let current: RunProgress = { ...moment, bytesDone: 50e6 };
  showProgress(stream, clock).observer.started?.(() => current);
  current = { ...current, bytesDone: 75e6, rows: 500 };
  clock.advance(5_000);
  expect(written[0]).toContain("500 rows · 100 rows/s · 5.00 MB/s · 75.0 %");
});

test("shows the speed of the last ten seconds", () => {
  const { written, stream } = collect();
  const clock = new FakeClock();
  let current = moment;
  showProgress(stream, clock).observer.started?.(() => current);
  for (const rows of [5_000, 10_000, 10_500, 11_000]) {
    current = { ...moment, rows };
    clock.advance(5_000);
  }
  expect(written[3]).toContain("11,000 rows · 100 rows/s");
});

test("does not know the time left before there is progress", () => {
  const { written, stream } = collect();
  const clock = new FakeClock();
  showProgress(stream, clock).observer.started?.(() => moment);
  clock.advance(5_000);
  expect(written[0]).toContain("time left unknown");
});

test("shows why and how long a run waits for its service, in the width of a terminal", () => {
  const { written, stream } = collect({ columns: 80, rows: 24 });
  const clock = new FakeClock();
  const reason = "connect ECONNREFUSED 127.0.0.1:8080";
  const waiting = { reason, attempts: 4, leftMs: 870_000 };
  showProgress(stream, clock).observer.started?.(() => ({ ...moment, waiting }));
  clock.advance(200);
  expect(screenOf(written).at(-2)).toContain(
    "14:30 min left, waiting for the service (attempt 4): connect ECONNREFUSED 127.…",
  );
});

test("shows one line for each thread and a total on a terminal, always at the same position", () => {
  const { written, stream } = collect({ columns: 80, rows: 24 });
  const clock = new FakeClock();
  const display = showProgress(stream, clock);
  let current: RunProgress = {
    ...moment,
    threads: [
      { source: "a.json", rows: 10 },
      { source: undefined, rows: 20 },
    ],
  };
  display.observer.started?.(() => current);
  clock.advance(200);
  current = { ...current, rows: 1_000, bytesDone: 50e6 };
  clock.advance(200);
  expect(screenOf(written)).toEqual([
    "  1             10 rows  a.json",
    "  2             20 rows  waiting",
    "1,000 rows · 2,500 rows/s · 125 MB/s · 50.0 % · 0.4 s left",
    "",
  ]);
  display.stop();
  expect(screenOf(written)).toEqual([""]);
});

test("keeps notes and failures above the live lines, with control characters escaped", () => {
  const { written, stream } = collect({ columns: 80, rows: 24 });
  const clock = new FakeClock();
  const display = showProgress(stream, clock);
  display.observer.started?.(() => moment);
  clock.advance(200);
  display.observer.note?.("resumed\u001b[2J\n  in parts");
  const failure = { source: "b\u0007.gz", code: "gzip_broken", message: "ends too early" };
  display.observer.sourceFailed?.(failure);
  clock.advance(200);
  expect(screenOf(written).slice(0, 4)).toEqual([
    "resumed\\u001b[2J",
    "  in parts",
    "failed: b\\u0007.gz: ends too early",
    "  1              0 rows  a.json",
  ]);
});

test("never wraps live lines, and never writes more than the terminal has", () => {
  const { written, stream } = collect({ columns: 60, rows: 6 });
  const clock = new FakeClock();
  const threads = Array.from({ length: 9 }, () => ({ source: "日本".repeat(40), rows: 1 }));
  showProgress(stream, clock).observer.started?.(() => ({ ...moment, threads }));
  clock.advance(200);
  const screen = screenOf(written);
  expect(screen).toHaveLength(5);
  expect(screen[2]).toBe("     and 7 more threads");
  for (const line of screen) expect(widthOf(line)).toBeLessThan(60);
});

test.each([120, 80, 60, 40, 20])("keeps the time left on a terminal of %d columns", (columns) => {
  const { written, stream } = collect({ columns, rows: 24 });
  const clock = new FakeClock();
  let current: RunProgress = { ...moment, bytesTotal: 900e9 };
  showProgress(stream, clock).observer.started?.(() => current);
  current = {
    ...current,
    bytesDone: 44e6,
    rows: 1_234_567_890,
    rejects: 12_345_678,
    delivered: 9e9,
  };
  clock.advance(200);
  const total = screenOf(written).at(-2) ?? "";
  expect(total).toMatch(/ · 1:08:11 h left$/);
  expect(widthOf(total)).toBeLessThan(columns);
});

test("writes no codes on a terminal that cannot move its cursor", () => {
  const { written, stream } = collect({ columns: 80, rows: 24 });
  const clock = new FakeClock();
  showProgress(stream, clock, "dumb").observer.started?.(() => moment);
  clock.advance(5_000);
  expect(written).toHaveLength(1);
  expect(written[0]).not.toContain("\u001b");
});

test("clears the lines that a narrower terminal has wrapped", () => {
  const { written, stream } = collect({ columns: 80, rows: 24 });
  const clock = new FakeClock();
  const display = showProgress(stream, clock);
  display.observer.started?.(() => ({ ...moment, rows: 1_234_567_890 }));
  clock.advance(200);
  stream.columns = 30;
  display.stop();
  expect(written.at(-1)).toBe("\u001b[5A\u001b[0J");
});

test("shows the merging of days as a separate phase with its own speed", () => {
  const { written, stream } = collect();
  const clock = new FakeClock();
  const display = showProgress(stream, clock);
  display.observer.started?.(() => ({ ...moment, rows: 9_000_000, bytesDone: 100e6 }));
  clock.advance(5_000);
  let current: RunProgress = { ...moment, phase: "merging", bytesTotal: 40e6 };
  display.observer.started?.(() => current);
  expect(clock.repeating).toBe(1);
  current = { ...current, rows: 1_000, bytesDone: 10e6 };
  clock.advance(5_000);
  expect(written.slice(1)).toEqual([
    "1,000 rows · 200 rows/s · 2.00 MB/s · merging days 25.0 % · 15 s left\n",
  ]);
  display.stop();
  expect(clock.repeating).toBe(0);
});
