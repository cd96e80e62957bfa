import { createHash, randomUUID } from "node:crypto";
import { type FileHandle, open, readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { moveDurably, readOrNone, writeDurably } from "../base/durable-file.js";
import { SwitchyardError } from "../base/errors.js";
import { makeDirectory } from "../base/make-directory.js";
import { asOutput } from "../base/output-error.js";
import type { OutputFiles } from "../output/output-files.js";
import type { Window } from "./windows.js";

const LEDGER = "_switchyard/fetch";
const TEMPORARY = "_switchyard/tmp";

/** A file with a name, under which readers see it. It never changes. */
const fileSchema = z.strictObject({
  name: z.string(),
  bytes: z.int().min(0),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  members: z.int().min(0),
  rows: z.int().min(0),
});

const time = z.iso.datetime().transform((text) => Date.parse(text));

/** The ledger's record of a window, as JSON. Times are of RFC 3339. */
const recordSchema = z.strictObject({
  start: time,
  end: time,
  /** None if the window has no events; more than one if events came later. */
  files: z.array(fileSchema),
  /** A file with later events of the window, which counts as soon as it has its name. */
  late: fileSchema.optional(),
  /** The vendor's job that exports the window. */
  job: z.string().optional(),
  /** Time of the end of the download. */
  fetched: time,
  /** Set until the last file has its name, and while the job works. */
  isPending: z.literal(true).optional(),
});

const timesSchema = z.array(z.number());

/** A window that is done, or nearly. Times in ms since 1970. */
export type WindowRecord = z.output<typeof recordSchema>;

/** A file on this machine, such as one that is being written and that no reader sees. */
export interface LocalFile {
  readonly path: string;
  readonly bytes: number;
  /** Lower-case hexadecimal digits; of all that was written. */
  readonly sha256: string;
}

/** The files of windows and their ledger, in an output that this process has locked. */
export class WindowFiles {
  /** `account`: the part of the ledger that belongs to one vendor's account. */
  constructor(
    private readonly files: OutputFiles,
    private readonly account: string,
  ) {}

  /** Removes what a killed process left. */
  async clear(): Promise<void> {
    const path = join(this.files.directory, TEMPORARY);
    await asOutput(path, async () => {
      await rm(path, { recursive: true, force: true });
      await makeDirectory(path);
    });
  }

  async records(): Promise<readonly WindowRecord[]> {
    const prefix = `${LEDGER}/${this.account}/`;
    const paths = (await this.files.list(prefix)).map(({ path }) => path);
    const named = paths.filter((path) => path.endsWith(".json"));
    await this.files.fetch(named);
    return Promise.all(named.map((path) => this.#read(path)));
  }

  /** Returns the times of requests that were remembered, in ms since 1970. */
  async requestTimes(): Promise<readonly number[]> {
    await this.files.fetch([this.#requestsPath]);
    const text = await readOrNone(join(this.files.directory, this.#requestsPath));
    return text === undefined ? [] : timesSchema.catch([]).parse(JSON.parse(String(text)));
  }

  /** Remembers the times of requests, before the last of them is made. */
  async rememberRequests(times: readonly number[]): Promise<void> {
    await this.#writeLedger(this.#requestsPath, times);
  }

  /** Returns the names of all files of the output, without directories below it. */
  async names(): Promise<readonly string[]> {
    const all = await this.files.list("");
    return all.map(({ path }) => path).filter((path) => !path.includes("/"));
  }

  /** Writes bytes into a new file. Removes it again if they end in an error. */
  async write(bytes: AsyncIterable<Uint8Array>): Promise<LocalFile> {
    const path = join(this.files.directory, TEMPORARY, `${randomUUID()}.part`);
    const file = await asOutput(path, () => open(path, "wx"));
    try {
      return { path, ...(await writeAll(file, path, bytes)) };
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    } finally {
      await file.close();
    }
  }

  async discard({ path }: LocalFile): Promise<void> {
    await asOutput(path, () => rm(path, { force: true }));
  }

  /** Brings files with names to this machine while they are used; undefined if one is not there. */
  async using<Result>(
    names: readonly string[],
    use: (paths: readonly string[]) => Promise<Result>,
  ): Promise<Result | undefined> {
    const there = new Set(await this.names());
    if (!names.every((name) => there.has(name))) return undefined;
    await this.files.fetch(names);
    try {
      return await use(names.map((name) => join(this.files.directory, name)));
    } finally {
      await this.files.drop(names);
    }
  }

  /** Gives a whole file its name, under which readers see it. */
  async keep({ path, sha256 }: LocalFile, name: string): Promise<void> {
    const { directory } = this.files;
    await asOutput(path, () => moveDurably(path, join(directory, name)));
    await this.files.publish([name], new Map([[name, sha256]]));
    await this.files.drop([name]);
  }

  async record({ start, end, fetched, ...rest }: WindowRecord): Promise<void> {
    const iso = (ms: number) => new Date(ms).toISOString();
    const times = { start: iso(start), end: iso(end), fetched: iso(fetched) };
    await this.#writeLedger(this.#recordPath({ start, end }), { ...times, ...rest });
  }

  #recordPath({ start, end }: Window): string {
    return `${LEDGER}/${this.account}/${stampOf(start)}_${stampOf(end)}.json`;
  }

  get #requestsPath(): string {
    return `${LEDGER}/${this.account}.requests.json`;
  }

  async #writeLedger(path: string, content: object): Promise<void> {
    const target = join(this.files.directory, path);
    await asOutput(target, async () => {
      await makeDirectory(dirname(target));
      await writeDurably(target, `${JSON.stringify(content)}\n`);
    });
    await this.files.publish([path]);
  }

  async #read(path: string): Promise<WindowRecord> {
    const text = await readFile(join(this.files.directory, path), "utf8");
    try {
      return recordSchema.parse(JSON.parse(text));
    } catch (cause) {
      throw new SwitchyardError(
        "ledger_unreadable",
        `${this.files.address}/${path} is not a record of a fetched window; remove this file, then run the same command again to fetch the window once more`,
        { cause },
      );
    }
  }
}

/** Returns a time as file names have it: `20260131T17`, with the minutes if they are not 0. */
export function stampOf(ms: number): string {
  const text = new Date(ms).toISOString().replaceAll(/[-:]/g, "");
  return text.slice(0, text.slice(11, 13) === "00" ? 11 : 13);
}

async function writeAll(file: FileHandle, path: string, chunks: AsyncIterable<Uint8Array>) {
  const hash = createHash("sha256");
  let bytes = 0;
  // Errors of the chunks are of the vendor, those of the file are of the output.
  for await (const chunk of chunks) {
    hash.update(chunk);
    bytes += chunk.length;
    await asOutput(path, () => file.writeFile(chunk));
  }
  await asOutput(path, () => file.sync());
  return { bytes, sha256: hash.digest("hex") };
}
