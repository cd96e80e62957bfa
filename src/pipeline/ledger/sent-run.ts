import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { writeDurably } from "../../base/durable-file.js";
import { asOutput } from "../../base/output-error.js";
import type { Layout } from "./layout.js";

/** What a run of `send` is, for people who look for it later: `run.json` in its directory. */
export interface SentRun {
  readonly runId: string;
  readonly destination: string;
  readonly inputs: readonly string[];
  /** What inputs and command are relative to. */
  readonly directory: string;
  /** ISO 8601; first start. */
  readonly startedAt: string;
  /** Words that take the run up again, without the program's name. */
  readonly command: readonly string[];
}

export async function writeSentRun(layout: Layout, run: SentRun): Promise<void> {
  const path = sentRunFile(layout);
  const text = `${JSON.stringify(run, null, 2)}\n`;
  const { temporaryDirectory } = layout;
  await asOutput(path, () => writeDurably(path, text, { temporaryDirectory }));
}

/** undefined for a directory that holds no run, or not yet. */
export async function readSentRun(layout: Layout): Promise<SentRun | undefined> {
  try {
    return JSON.parse(await readFile(sentRunFile(layout), "utf8")) as SentRun;
  } catch {
    return undefined;
  }
}

function sentRunFile({ outputDirectory }: Layout): string {
  return join(outputDirectory, "run.json");
}
