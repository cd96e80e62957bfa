import { closeSync, linkSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import { syncDirectory, syncFile } from "../base/durable-file.js";
import { hasCode } from "../base/errors.js";
import { outputError } from "../base/output-error.js";

/** A file that bytes are appended to. */
export interface AppendedFile {
  /** After an error the file is closed. */
  append(bytes: Uint8Array): void;
  /** Does nothing if it is closed. */
  close(): void;
}

/** The operations of the file system that day directories need. */
export interface PartFiles {
  /** Opens a file for appending; creates it and its directory. */
  open(path: string): AppendedFile;
  /** Returns once the content of a file, or the names in a directory, are on the disk. */
  sync(path: string, kind: "file" | "directory"): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /** Gives a file a second name, which it takes from another file that has it. */
  link(from: string, to: string): Promise<void>;
  makeDirectory(path: string): Promise<void>;
  /** Removes a file, or a directory with its content; does nothing if there is none. */
  remove(path: string): Promise<void>;
}

/**
 * The file system. Only syncs leave the thread: a call through the thread pool costs several times
 * as much as opening, renaming or closing a file, and a split of a thousand days has a thousand
 * files.
 */
export const diskFiles: PartFiles = {
  open(path) {
    return new DiskFile(openForAppend(path));
  },

  async sync(path, kind) {
    await (kind === "file" ? syncFile(path) : syncDirectory(path));
  },

  async rename(from, to) {
    renameSync(from, to);
  },

  async link(from, to) {
    rmSync(to, { force: true });
    linkSync(from, to);
  },

  async makeDirectory(path) {
    mkdirSync(path, { recursive: true });
  },

  async remove(path) {
    await rm(path, { recursive: true, force: true });
  },
};

class DiskFile implements AppendedFile {
  #descriptor: number | undefined;

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
  }

  append(bytes: Uint8Array): void {
    if (this.#descriptor === undefined) throw new Error("the file is closed already");
    try {
      for (let done = 0; done < bytes.length; ) {
        done += writeSync(this.#descriptor, bytes, done);
      }
    } catch (error) {
      this.close();
      throw error;
    }
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}

function openForAppend(path: string): number {
  try {
    return openSync(path, "a");
  } catch (error) {
    if (!hasCode(error, "ENOENT")) throw error;
    mkdirSync(dirname(path), { recursive: true });
    return openSync(path, "a");
  }
}

/** Wraps the operations so that errors name the path and say what to do (`outputError`). */
export function withOutputErrors(files: PartFiles): PartFiles {
  const named = async (action: string, path: string, operation: Promise<void>): Promise<void> => {
    try {
      await operation;
    } catch (error) {
      throw outputError(action, path, error);
    }
  };
  const writing = <Result>(path: string, operation: () => Result): Result => {
    try {
      return operation();
    } catch (error) {
      throw outputError("write to", path, error);
    }
  };
  return {
    open(path) {
      const file = writing(path, () => files.open(path));
      return {
        append: (bytes) => writing(path, () => file.append(bytes)),
        close: () => writing(path, () => file.close()),
      };
    },
    sync: (path, kind) => named("sync", path, files.sync(path, kind)),
    rename: (from, to) => named("move a finished part to", to, files.rename(from, to)),
    link: (from, to) => named("link a finished part to", to, files.link(from, to)),
    makeDirectory: (path) => named("create", path, files.makeDirectory(path)),
    remove: (path) => named("remove", path, files.remove(path)),
  };
}
