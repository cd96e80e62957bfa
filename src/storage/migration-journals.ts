import { readdir, readFile, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { hasCode } from "../base/errors.js";
import { isDead, thisProcess } from "../base/lock-file.js";
import { checkValue, faultLines } from "../base/schema.js";
import { type Migration, migration, type SkippedJournal } from "../contract/migration.js";
import { JOURNAL_BYTES_MAX, JOURNAL_SILENT_MS_MAX, REPORT_BYTES_MAX } from "./storage-limits.js";

/** Directory of the journals in a data directory. */
const DIRECTORY = "migrations";

const NAME = /^([0-9a-f]{12})\.json$/;

/** The page of a dry run, with the security policy that it names itself. */
interface ReportPage {
  readonly html: string;
  readonly policy: string;
}

/** Reads the journals that runs of migrations write into a data directory. */
export interface MigrationJournals {
  /** Returns all journals, the newest start first, and the files that are not journals. */
  list(): Promise<{
    readonly migrations: readonly Migration[];
    readonly skipped: readonly SkippedJournal[];
  }>;
  /** Returns undefined if there is none, and the reason if the file is not a journal. */
  read(id: string): Promise<Migration | string | undefined>;
  /** Returns undefined if the page is gone, or is not one that Switchyard wrote. */
  readReport(path: string): Promise<ReportPage | undefined>;
}

/** Returns the path of a journal. */
export function journalPath(dataDirectory: string, id: string): string {
  return join(dataDirectory, DIRECTORY, `${id}.json`);
}

/** A journal as it was read, and the state of the file then. */
interface KnownFile {
  readonly state: string;
  readonly journal: Migration | string;
}

/** The journals of a data directory. An unchanged file is not read again. */
export class JournalDirectory implements MigrationJournals {
  readonly #known = new Map<string, KnownFile>();

  constructor(
    private readonly dataDirectory: string,
    private readonly now: () => number = Date.now,
  ) {}

  async list() {
    const migrations: Migration[] = [];
    const skipped: SkippedJournal[] = [];
    for (const file of (await this.#names()).sort()) {
      const [, id] = NAME.exec(file) ?? [];
      const found = id === undefined ? "its name is not that of a journal" : await this.read(id);
      if (typeof found === "string") skipped.push({ file, reason: found });
      else if (found !== undefined) migrations.push(found);
    }
    const begun = ({ attempts }: Migration) => attempts.at(-1)?.startedTime ?? 0;
    migrations.sort((a, b) => begun(b) - begun(a) || (a.id < b.id ? -1 : 1));
    return { migrations, skipped };
  }

  async read(id: string) {
    if (!NAME.test(`${id}.json`)) return undefined;
    const found = await this.#readFile(id);
    return typeof found === "object" ? asOf(found, this.now()) : found;
  }

  async readReport(path: string) {
    if (basename(path) !== "report.html") return undefined;
    const size = await stat(path).then(
      (found) => (found.isFile() ? found.size : undefined),
      () => undefined,
    );
    if (size === undefined || size > REPORT_BYTES_MAX) return undefined;
    const html = await readFile(path, "utf8").catch(() => "");
    const [, policy] =
      /^<!doctype html>[\s\S]{0,200}<meta http-equiv="Content-Security-Policy" content="(default-src 'none';[ -!#-~]+)">/.exec(
        html,
      ) ?? [];
    return policy === undefined ? undefined : { html, policy };
  }

  /** Drafts of a write and locks have other endings. */
  async #names(): Promise<string[]> {
    try {
      const names = await readdir(join(this.dataDirectory, DIRECTORY));
      return names.filter((name) => name.endsWith(".json") && !name.startsWith("."));
    } catch (error) {
      if (hasCode(error, "ENOENT") || hasCode(error, "ENOTDIR")) return [];
      throw error;
    }
  }

  async #readFile(id: string): Promise<Migration | string | undefined> {
    const path = journalPath(this.dataDirectory, id);
    try {
      const { mtimeMs, size, ino } = await stat(path);
      const state = [mtimeMs, size, ino].join();
      const known = this.#known.get(id);
      if (known?.state === state) return known.journal;
      const journal =
        size > JOURNAL_BYTES_MAX
          ? `it has more than ${JOURNAL_BYTES_MAX} bytes`
          : parseJournal(await readFile(path, "utf8"), id);
      this.#known.set(id, { state, journal });
      return journal;
    } catch (error) {
      this.#known.delete(id);
      if (hasCode(error, "ENOENT")) return undefined;
      return `it cannot be read (${(error as NodeJS.ErrnoException).code ?? "unknown"})`;
    }
  }
}

/** Returns the journal of a text, or why it is none. */
export function parseJournal(text: string, id: string): Migration | string {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    return "it is not valid JSON";
  }
  const { value, faults = [] } = checkValue(migration, content);
  if (value === undefined) return faultLines(faults).slice(0, 3).join("; ");
  return value.id === id ? value : `it is the journal of ${value.id}`;
}

/**
 * Returns a journal as it is now: an attempt whose process has ended, or has not written for a minute,
 * was killed. While an attempt runs, there is no command to type.
 */
export async function asOf(journal: Migration, now: number): Promise<Migration> {
  const { attempts, steps, updatedTime } = journal;
  const last = attempts.at(-1);
  if (last?.state !== "running") return journal;
  const { id: pid, host, start: processStart } = last.process;
  const isSilent = now - updatedTime > JOURNAL_SILENT_MS_MAX;
  if (!isSilent && !(await isDead({ pid, host, processStart }, thisProcess))) {
    return { ...journal, nextCommand: null };
  }
  const ended = { state: "killed", endedTime: updatedTime } as const;
  return {
    ...journal,
    attempts: [...attempts.slice(0, -1), { ...last, ...ended }],
    steps: steps.map((step) => (step.state === "running" ? { ...step, ...ended } : step)),
  };
}
