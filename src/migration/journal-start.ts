import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { thisProcess } from "../base/lock-file.js";
import { version } from "../base/package-files.js";
import {
  JOURNAL_VERSION,
  type Migration,
  type MigrationAttempt,
  type MigrationStep,
  stepNames,
} from "../contract/migration.js";
import type { Configuration } from "../options/configuration.js";
import { CONFIGURATION_NAME } from "../options/configuration-file.js";
import type { StepName } from "../options/configuration-schema.js";
import { harmless, shellWord } from "../report/terminal-text.js";
import { asOf, parseJournal } from "../storage/migration-journals.js";
import { emptyStep, shortened } from "./journal-facts.js";
import { ATTEMPTS_MAX } from "./journal-limits.js";

/** A run whose journal is written. */
export interface JournaledRun {
  readonly configuration: Configuration;
  readonly command: StepName | "migrate";
  /** Steps to run. */
  readonly names: readonly StepName[];
  /** Arguments as given, without the program's name. */
  readonly commandLine: readonly string[];
  readonly program: string;
  readonly currentDirectory: string;
}

const ID_CHARACTERS = 12;

/**
 * Returns the id of a migration: the same for each run of a configuration into the same output. A shard
 * has a journal of its own, because shards run at the same time.
 */
export function journalIdOf({ configuration, currentDirectory }: JournaledRun): string {
  const { values } = configuration;
  const { to, sendTo, shard, inputs } = values;
  const file = configurationPath(configuration);
  const facts = file === undefined ? [currentDirectory, inputs] : [file];
  const part = shard === "finish" ? undefined : shard;
  const text = JSON.stringify([...facts, to, sendTo, part]);
  return createHash("sha256").update(text).digest("hex").slice(0, ID_CHARACTERS);
}

/** Returns the journal of earlier runs as it is now; undefined, after a note, if it is damaged. */
export async function readBefore(
  file: string,
  id: string,
  now: number,
  note: (text: string) => void,
): Promise<Migration | undefined> {
  const text = await readFile(file, "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  const journal = parseJournal(text, id);
  if (typeof journal !== "string") return asOf(journal, now);
  note(`${file} is not a journal (${harmless(journal)}). A new one is started.`);
  return undefined;
}

/** Returns the journal of a run that begins. */
export async function startedJournal(
  run: JournaledRun,
  id: string,
  before: Migration | undefined,
  now: number,
): Promise<Migration> {
  const { configuration, program } = run;
  const { values } = configuration;
  const words = shownWords(run.commandLine);
  const { pid, host } = thisProcess;
  const attempt: MigrationAttempt = {
    number: (before?.attempts.at(-1)?.number ?? 0) + 1,
    command: words,
    directory: run.currentDirectory,
    state: "running",
    startedTime: now,
    endedTime: null,
    version,
    process: { id: pid, host, start: await thisProcess.startOf(pid) },
    error: null,
  };
  return {
    journalVersion: JOURNAL_VERSION,
    id,
    name: nameOf(run),
    configuration: configurationPath(configuration) ?? null,
    destination: values.sendTo ?? values.to ?? null,
    updatedTime: now,
    attempts: [...(before?.attempts ?? []), attempt].slice(-ATTEMPTS_MAX),
    steps: stepsOf(run, before),
    validation: before?.validation ?? null,
    nextCommand: `${program} ${words}`,
  };
}

/** A migration has its steps in its order; a single command leaves those of others as they are. */
function stepsOf({ command, names }: JournaledRun, before: Migration | undefined): MigrationStep[] {
  const known = new Map(before?.steps.map((step) => [step.name, step]));
  const waiting = (name: StepName): MigrationStep => ({
    ...(known.get(name) ?? emptyStep(name)),
    state: "waiting",
  });
  if (command === "migrate") return names.map(waiting);
  for (const name of names) known.set(name, waiting(name));
  const others = [...known.keys()];
  const isOrdered = names.every((name) => before?.steps.some((step) => step.name === name));
  const order = isOrdered ? others : stepNames.filter((name) => known.has(name));
  return order.map((name) => known.get(name) ?? emptyStep(name));
}

function configurationPath({ directory, fileName }: Configuration): string | undefined {
  return fileName === undefined ? undefined : path.join(directory, path.basename(fileName));
}

function nameOf({ configuration, currentDirectory }: JournaledRun): string {
  const { directory, fileName, values } = configuration;
  const { inputs: [input] = [], shard } = values;
  const part =
    shard === undefined || shard === "finish" ? "" : ` (shard ${shard.index ?? ""}/${shard.count})`;
  const place = path.basename(directory) || directory;
  if (fileName === undefined) {
    const named = input ?? values.to ?? currentDirectory;
    return shortened(`${path.basename(named) || named}${part}`);
  }
  const file = path.basename(fileName);
  return shortened(`${place}${file === CONFIGURATION_NAME ? "" : `/${file}`}${part}`);
}

/** Options whose values may be secrets. */
const secretOptions: ReadonlySet<string> = new Set(["--notify"]);

/** Returns a command line without secrets. */
function shownWords(words: readonly string[]): string {
  const shown = words.filter((word, index) => {
    const [flag = ""] = word.split("=", 1);
    return !secretOptions.has(flag) && !secretOptions.has(words[index - 1] ?? "");
  });
  return shown.map(shellWord).join(" ");
}
