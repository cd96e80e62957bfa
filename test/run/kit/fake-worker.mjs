// A worker whose modules are fakes over lines of text, so that tests can break it at will. A line
// `<day> <word>` is delivered to that day; its word decides what happens:
//   bad: rejected   skip: filtered   lose: the mapper loses it   full: the disk is full
//   break: the source is broken here   crash: the reader throws   exit: the thread ends
//   panic: an error that nobody catches   wait: reading waits until the run is stopped
//   late: the commit stops behind the part of that day
//   held: the first commit of the split waits, with its parts in place, until it is freed
//   unsynced: as held, and then the disk is full   free: frees, as a crash and the stop of a run do
//   until: filtered, and comes again and again until split 000000 is in the ledger
//   spin: the thread is busy and looks at nothing, once it has written the temporary file `spinning`

import { createHash } from "node:crypto";
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { SourceError } from "../../../src/base/errors.js";
import { Kernel } from "../../../src/batch/kernel.js";
import { LedgerWriter } from "../../../src/ledger/ledger-writer.js";
import { layoutOf } from "../../../src/output/layout.js";
import { RejectFile } from "../../../src/run/thread/reject-file.js";
import { serveSplits } from "../../../src/run/thread/serve-splits.js";

const WAIT_MS = 10;

const BATCH_LINES = 2;

/** Ends the wait of the commit that is held, if one is. */
let free = () => {};

function linesOf(range) {
  const text = readFileSync(range.source.path, "latin1").slice(range.start, range.end ?? undefined);
  return text.split("\n").filter((line) => line !== "");
}

async function openFake(kernel, range, _fields, { signal, temporaryDirectory }) {
  const lines = linesOf(range);
  const { name } = range.source;
  const firstRecord = join(temporaryDirectory, "../splits/000000.json");
  let next = 0;
  const act = async (line) => {
    const [, word] = line.split(" ");
    if (word === "break") throw new SourceError("source_broken", { source: name }, "broken here");
    if (word === "free" || word === "crash") free();
    if (word === "crash") throw new Error("not foreseen");
    if (word === "exit") process.exit(7);
    if (word === "panic") {
      setImmediate(() => {
        throw new Error("panicked");
      });
      await new Promise(() => {});
    }
    if (word === "wait") {
      await new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      });
    }
    if (word === "spin") {
      writeFileSync(join(temporaryDirectory, "spinning"), "");
      for (;;);
    }
  };
  return {
    get consumed() {
      return next;
    },
    async next() {
      const batch = [];
      while (next < lines.length && batch.length < BATCH_LINES) {
        if (batch.length > 0 && /break|crash|exit|panic|wait|spin/.test(lines[next])) break;
        await act(lines[next]);
        batch.push(lines[next++]);
        if (batch.at(-1).endsWith(" until") && !existsSync(firstRecord)) next--;
      }
      if (batch.length === 0) return null;
      const first = next - batch.length;
      return {
        kernel,
        rows: batch.length,
        columns: [],
        faults: 0,
        lines: batch,
        raw: {
          number: (row) => first + row + 1,
          offset: () => undefined,
          bytes: (row) => Buffer.from(batch[row], "latin1"),
          explain: () => "",
        },
      };
    },
    async close() {},
  };
}

function fakeMapper(kernel) {
  const outcomes = kernel.allocate(64);
  const notices = { seen: 0 };
  return {
    fields: [],
    groups: [],
    notices,
    takeRenames() {},
    map(batch) {
      const lines = batch.lines.filter((line) => !line.endsWith(" lose"));
      notices.seen += lines.length;
      lines.forEach((line, row) => {
        const word = line.split(" ")[1];
        kernel.bytes[outcomes + row] =
          word === "bad" ? 13 : word === "skip" || word === "until" ? 254 : 0;
      });
      const explain = (row) => `"${lines[row]}" is bad`;
      return {
        kernel,
        batch,
        lines,
        rows: lines.length,
        outcomes,
        sourceRow: (row) => row,
        explain,
      };
    },
  };
}

/** Waits for `free`, the first time. */
async function hold(layout, id, signal) {
  const mark = join(layout.ledgerDirectory, `held-${id}`);
  if (existsSync(mark)) return;
  writeFileSync(mark, "");
  if (signal.aborted) return;
  await new Promise((resolve) => {
    free = resolve;
    signal.addEventListener("abort", resolve, { once: true });
  });
}

function fakeSink(layout, dataset, signal) {
  return {
    openSplit(id) {
      const days = new Map();
      return {
        async write(events) {
          events.lines.forEach((line, row) => {
            if (events.kernel.bytes[events.outcomes + row] !== 0) return;
            const [day, word] = line.split(" ");
            if (word === "full") throw systemError("ENOSPC", "write");
            days.set(day, [...(days.get(day) ?? []), line]);
          });
        },
        async finish() {
          return writtenDays(id, days, { layout, dataset, signal });
        },
        async abort() {},
      };
    },
  };
}

function writtenDays(id, days, { layout, dataset, signal }) {
  const name = `part-${id}-0.jsonl`;
  const targetOf = (day) => join(layout.datasetDirectory, day, name);
  const all = [...days.values()].flat();
  const has = (word) => all.some((line) => line.endsWith(` ${word}`));
  return {
    rows: all.length,
    async commit() {
      const parts = [...days].sort().map(([day, lines]) => {
        const text = `${lines.join("\n")}\n`;
        const temporary = join(layout.temporaryDirectory, `${day}-${name}`);
        mkdirSync(join(layout.datasetDirectory, day), { recursive: true });
        const file = openSync(temporary, "w");
        writeSync(file, text);
        closeSync(file);
        renameSync(temporary, targetOf(day));
        if (lines.some((line) => line.endsWith(" late"))) waitForever();
        return {
          path: `${dataset}/${day}/${name}`,
          day,
          rows: lines.length,
          bytes: text.length,
          sha256: createHash("sha256").update(text).digest("hex"),
          firstTimestamp: Date.parse(day),
          lastTimestamp: Date.parse(day) + 1,
        };
      });
      if (has("held") || has("unsynced")) await hold(layout, id, signal);
      if (has("unsynced")) throw systemError("ENOSPC", "fsync");
      return { parts, counts: {} };
    },
    async abort() {
      for (const day of days.keys()) rmSync(targetOf(day), { force: true });
    },
  };
}

/** Until the thread is ended. Waits, as Node 24 cannot end a loop that does nothing but look. */
function waitForever() {
  const never = new Int32Array(new SharedArrayBuffer(4));
  while (true) Atomics.wait(never, 0, 0, WAIT_MS);
}

function systemError(code, syscall) {
  return Object.assign(new Error(`${code}: as if`), { code, syscall });
}

/** Counts lines by their words. */
function fakeEventCounts() {
  let counts = new Map();
  let days = new Map();
  return {
    clear() {
      counts = new Map();
      days = new Map();
    },
    take({ lines, kernel, outcomes }) {
      lines.forEach((line, row) => {
        if (kernel.bytes[outcomes + row] !== 0) return;
        const [day, word] = line.split(" ");
        if (!counts.has(word)) counts.set(word, []);
        counts.get(word).push(Date.parse(day));
        const number = Date.parse(day) / 86_400_000;
        if (!days.has(number)) days.set(number, new Map());
        days.get(number).set(word, (days.get(number).get(word) ?? 0) + 1);
      });
    },
    events() {
      const names = [...counts.keys()];
      return {
        names: [...counts].map(([event, times]) => ({
          event,
          rows: times.length,
          firstMs: Math.min(...times),
          lastMs: Math.max(...times),
        })),
        days: [...days]
          .sort(([one], [other]) => one - other)
          .map(([day, words]) => [
            day,
            ...[...words].flatMap(([word, rows]) => [names.indexOf(word), rows]),
          ]),
      };
    },
  };
}

serveSplits(async ({ options, epoch }, signal) => {
  if (options.preset === "impossible") throw new Error("no such tools");
  const layout = layoutOf(options.outputDirectory, options.dataset, epoch);
  const kernel = new Kernel();
  return {
    kernel,
    layout,
    mapper: fakeMapper(kernel),
    sink: fakeSink(layout, options.dataset, signal),
    eventCounts: fakeEventCounts(),
    open: openFake,
    leavesOutAltered: true,
    readerOptions: {
      rowBytesMax: options.rowBytesMax,
      ratioMax: options.ratioMax,
      temporaryDirectory: layout.temporaryDirectory,
      signal,
    },
    ledger: new LedgerWriter(layout),
    openRejects: (splitId) => new RejectFile(kernel, layout, splitId),
  };
});
