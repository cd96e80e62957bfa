import { expect, onTestFinished, test } from "vitest";
import { RunMetrics } from "../../src/engine/run-metrics.js";
import type { RunProgress } from "../../src/ledger/run-observer.js";

const moment: RunProgress = {
  threads: [
    { source: "a.json", rows: 7 },
    { source: undefined, rows: 0 },
  ],
  bytesTotal: 100,
  bytesDone: 25,
  rows: 7,
  rejects: 2,
  splitsTotal: 4,
  splitsDone: 1,
};

async function listen(): Promise<RunMetrics> {
  const metrics = await RunMetrics.listen({ host: "127.0.0.1", port: 0 });
  onTestFinished(() => metrics.stop());
  return metrics;
}

async function seriesOf({ url }: RunMetrics): Promise<readonly string[]> {
  const response = await fetch(url);
  expect(response.headers.get("content-type")).toContain("text/plain; version=0.0.4");
  return (await response.text()).split("\n").filter((line) => line.startsWith("switchyard_"));
}

test("metrics are the progress of the step that runs, by phase", async () => {
  const metrics = await listen();
  expect(await seriesOf(metrics)).toHaveLength(1);
  const started: (() => RunProgress)[] = [];
  const observer = metrics.observe("export", { started: (progress) => started.push(progress) });
  observer.started?.(() => moment);
  expect(started).toHaveLength(1);
  expect(await seriesOf(metrics)).toEqual(
    expect.arrayContaining([
      'switchyard_rows_read_total{step="export"} 7',
      'switchyard_rows_rejected_total{step="export"} 2',
      'switchyard_input_bytes{step="export",phase="reading"} 100',
      'switchyard_input_bytes_done{step="export",phase="reading"} 25',
      'switchyard_splits{step="export",phase="reading"} 4',
      'switchyard_splits_done{step="export",phase="reading"} 1',
      'switchyard_threads_reading{step="export",phase="reading"} 1',
      'switchyard_waiting{step="export",phase="reading"} 0',
    ]),
  );
  observer.started?.(() => ({ ...moment, phase: "merging", rows: 9 }));
  const merging = await seriesOf(metrics);
  expect(merging).toContain('switchyard_splits{step="export",phase="merging"} 4');
  expect(merging.join()).not.toContain('phase="reading"');
});

test("counters count a row once, over all phases, epochs and steps", async () => {
  const metrics = await listen();
  const validate = metrics.observe("validate", {});
  validate.started?.(() => ({ ...moment, rows: 20, rejects: 4 }));
  const observer = metrics.observe("export", {});
  for (const epoch of [1, 2]) {
    observer.started?.(() => ({ ...moment, phase: "keys", rows: 10 * epoch, rejects: 2 * epoch }));
    observer.started?.(() => ({ ...moment, rows: 10 * epoch, rejects: 2 * epoch }));
    // The rejected rows stay in the progress that people see.
    observer.started?.(() => ({ ...moment, phase: "merging", rows: 8, rejects: 2 * epoch }));
  }
  const series = await seriesOf(metrics);
  expect(series.filter((line) => line.includes("_total"))).toEqual([
    'switchyard_rows_read_total{step="validate"} 20',
    'switchyard_rows_read_total{step="export"} 30',
    'switchyard_rows_rejected_total{step="validate"} 4',
    'switchyard_rows_rejected_total{step="export"} 6',
  ]);
});

test("only a step that sends has delivered events, and says whether it waits", async () => {
  const metrics = await listen();
  const observer = metrics.observe("send", {});
  const waiting = { reason: "503", attempts: 2, leftMs: 1_000 };
  observer.started?.(() => ({ ...moment, delivered: 5, waiting }));
  expect(await seriesOf(metrics)).toEqual(
    expect.arrayContaining([
      'switchyard_events_delivered_total{step="send"} 5',
      'switchyard_waiting{step="send",phase="reading"} 1',
    ]),
  );
  metrics.observe("export", {}).started?.(() => ({ ...moment, delivered: 0 }));
  expect((await seriesOf(metrics)).filter((line) => line.includes("events_delivered"))).toEqual([
    'switchyard_events_delivered_total{step="send"} 5',
  ]);
});

test("a port that is taken is refused with the flag to change", async () => {
  const { url } = await listen();
  const port = Number(new URL(url).port);
  await expect(RunMetrics.listen({ host: "127.0.0.1", port })).rejects.toMatchObject({
    code: "port_in_use",
    message: expect.stringContaining("port for --metrics"),
  });
  expect((await fetch(new URL("/other", url))).status).toBe(404);
});
