import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { GIB, MIB } from "../../../src/base/limits.js";
import type { Manifest } from "../../../src/ledger/manifest.js";
import type { RunObserver } from "../../../src/ledger/run-observer.js";
import { resolveWritten } from "../../../src/mapper/resolve-mapping.js";
import type { ExportOptions } from "../../../src/options/options.js";
import { type ExportResult, exportSpec } from "../../../src/run/export-spec.js";
import { run } from "../../../src/run/run.js";
import type { DiscoveredInputs, InputReading, RunSpec } from "../../../src/run/run-spec.js";
import type { Source, SourceRange } from "../../../src/sources/source.js";
import { processScript } from "../../support/process-scripts.js";
import { scratchDirectory } from "../../support/scratch.js";

/** An export with fake readers as JSON. */
export interface PortableExport {
  readonly options: ExportOptions;
  readonly inputs: DiscoveredInputs;
  /** Ranges by the name of their source. */
  readonly ranges: Readonly<Record<string, readonly { start: number; end: number | null }[]>>;
}

/** A directory of inputs, one for the output, and exports with fake readers. */
export class FakeExport {
  readonly root = scratchDirectory("pipeline");
  readonly output = join(this.root, "out");
  now = Date.UTC(2026, 0, 31, 12);

  /** Writes an input in Latin-1: a line for each `<day> <word>`. */
  input(name: string, ...lines: readonly string[]): void {
    writeFileSync(join(this.root, name), lines.map((line) => `${line}\n`).join(""), "latin1");
  }

  inputBytes(): number {
    return this.#discover().sources.reduce((sum, { size }) => sum + size, 0);
  }

  remove(name: string): void {
    rmSync(join(this.root, name));
  }

  async run(
    changes: Partial<ExportOptions> = {},
    signal: AbortSignal = new AbortController().signal,
    observer: RunObserver = {},
    changedSpec: Partial<RunSpec<Manifest>> = {},
  ): Promise<ExportResult> {
    const spec = await exportSpec({ ...this.options(), ...changes });
    const fakes = { read: this.reading(), sink: { entry: this.entry }, ...changedSpec };
    return run({ ...spec, ...fakes }, { signal, observer, now: () => this.now });
  }

  /** Returns the export for `fake-run.mjs`. */
  async portable(changes: Partial<ExportOptions> = {}): Promise<PortableExport> {
    const options = { ...this.options(), ...changes };
    const inputs = this.#discover();
    const ranges: Record<string, readonly { start: number; end: number | null }[]> = {};
    for (const source of inputs.sources) {
      const found = await lineRanges(source, options.splitBytes);
      ranges[source.name] = found.map(({ start, end }) => ({ start, end }));
    }
    return { options, inputs, ranges };
  }

  options(): ExportOptions {
    return {
      inputs: ["."],
      cwd: this.root,
      notInputs: [],
      outputDirectory: this.output,
      dataset: "events",
      dayName: "{day}",
      partition: "day",
      table: "none",
      finish: false,
      csv: {},
      format: "jsonl",
      compression: "zstd",
      dayZone: "UTC",
      partBytes: 128 * MIB,
      csvSafe: false,
      compact: "never",
      withInsertID: false,
      preset: "fake",
      mapping: resolveWritten({ event: "name", timestamp: "time" }),
      privacy: { drop: [], hash: [] },
      minTimeMs: 0,
      maxTimeMs: "tomorrow",
      includeEvents: [],
      excludeEvents: [],
      threads: 2,
      memoryBytes: 1 * GIB,
      rowBytesMax: 1 * MIB,
      ratioMax: 1_000,
      splitBytes: 64,
      s3: {},
      unsafeLock: false,
      damaged: "leave-out",
      maxRejects: { rows: 0 },
      fresh: false,
    };
  }

  readonly entry = pathToFileURL(processScript("fake-worker"));

  reading(): InputReading {
    return {
      discover: async () => this.#discover(),
      planRanges: lineRanges,
      openCounter: () => Promise.reject(new Error("these runs have no limit")),
    };
  }

  /** Returns the visible files of the output with their content, without facts of the run. */
  files(): Readonly<Record<string, string>> {
    return Object.fromEntries(
      readdirSync(this.output, { recursive: true, encoding: "utf8" })
        .filter((name) => !name.startsWith("_switchyard"))
        .filter((name) => statSync(join(this.output, name)).isFile())
        .sort()
        .map((name) => [name, withoutRun(name, this.read(name))]),
    );
  }

  read(name: string): string {
    return readFileSync(join(this.output, name), "utf8");
  }

  /** Finds sources. An input whose first line is `unreadable` is not a source. */
  #discover(): DiscoveredInputs {
    const names = readdirSync(this.root).filter((name) => name.endsWith(".txt"));
    const found = names.sort().map((name): Source => {
      const path = join(this.root, name);
      const bytes = readFileSync(path);
      return {
        name,
        path,
        codecs: [],
        size: bytes.length,
        fingerprint: JSON.stringify({
          size: bytes.length,
          sha256: createHash("sha256").update(bytes).digest("hex"),
        }),
        format: { kind: "ndjson" },
      };
    });
    const isReadable = ({ path }: Source) => !readFileSync(path, "latin1").startsWith("unreadable");
    return {
      sources: found.filter(isReadable),
      failures: found
        .filter((source) => !isReadable(source))
        .map(({ name }) => ({
          name,
          code: "source_unreadable",
          message: `${name}: cannot be read`,
        })),
    };
  }
}

/** Creates a fake export in a new directory. */
export function fakeExport(): FakeExport {
  return new FakeExport();
}

/** Cuts after the first line end behind each multiple of `splitBytes`. */
async function lineRanges(source: Source, splitBytes: number): Promise<readonly SourceRange[]> {
  const text = readFileSync(source.path, "latin1");
  const ranges: SourceRange[] = [];
  for (let start = 0; start === 0 || start < text.length; ) {
    const lineEnd = text.indexOf("\n", start + splitBytes - 1);
    const end = lineEnd === -1 || lineEnd + 1 >= text.length ? null : lineEnd + 1;
    ranges.push({ source, start, end });
    start = end ?? Number.POSITIVE_INFINITY;
  }
  return ranges;
}

function withoutRun(name: string, text: string): string {
  if (name !== "manifest.json") return text;
  const { run: _, ...rest } = JSON.parse(text);
  return JSON.stringify(rest);
}
