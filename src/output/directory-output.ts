import { randomUUID } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { syncDirectory, writeDurably, writeSynced } from "../base/durable-file.js";
import { isLocked, linkNew, readHolder, takeLockFile } from "../base/lock-file.js";
import { makeDirectory } from "../base/make-directory.js";
import { omitUndefined } from "../base/omit-undefined.js";
import { asOutput, outputError } from "../base/output-error.js";
import { entriesOf, isMissing } from "./directory-files.js";
import { FileClaim } from "./file-claim.js";
import type { HeldLock, Output } from "./output.js";

const never = new AbortController().signal;

/** Returns the output in a directory that all of its processes see. */
export function directoryOutput(directory: string): Output {
  const fileOf = (path: string) => join(directory, path);
  return {
    async put(path, content, { condition }) {
      const file = fileOf(path);
      return asOutput(file, async () => {
        await makeDirectory(dirname(file));
        if (condition === "absent") return writeNew(file, content);
        await writeDurably(file, content);
        return true;
      });
    },
    async get(path) {
      try {
        return await readFile(fileOf(path));
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw outputError("read", fileOf(path), error);
      }
    },
    async list(prefix) {
      const parent = prefix.slice(0, prefix.lastIndexOf("/") + 1);
      const names = (await entriesOf(fileOf(parent))).map((entry) =>
        entry.isDirectory() ? `${entry.name}/` : entry.name,
      );
      const paths = names.map((name) => `${parent}${name}`);
      return paths.filter((path) => path.startsWith(prefix)).sort();
    },
    async remove(paths) {
      for (const path of paths)
        await asOutput(fileOf(path), () => rm(fileOf(path), { force: true }));
    },
    lock: (path, planner) => ({
      take: () => asOutput(fileOf(path), () => take(fileOf(path), planner)),
      holder: () => readHolder(fileOf(path)),
      isHeld: () => isLocked(fileOf(path)),
    }),
    claim: (path) => asOutput(fileOf(path), () => FileClaim.take(fileOf(path))),
  };
}

/** The lock of a process on this host cannot be lost while the process lives. */
async function take(file: string, planner: string | undefined): Promise<HeldLock> {
  const lock = await takeLockFile(file, omitUndefined({ planner }));
  const stay = async () => undefined;
  return { ...lock, lost: never, check: stay, renew: stay };
}

/** A link gives the file its name and its content in one step. */
async function writeNew(file: string, content: string | Uint8Array): Promise<boolean> {
  const draft = join(dirname(file), `.${basename(file)}.${randomUUID()}`);
  try {
    await writeSynced(draft, content);
    const isNew = await linkNew(draft, file);
    if (isNew) await syncDirectory(dirname(file));
    return isNew;
  } finally {
    await rm(draft, { force: true });
  }
}
