import { closeSync, mkdirSync, openSync, renameSync, writeSync } from "node:fs";
import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import { syncDirectory, syncFile } from "../base/durable-file.js";
import { hasCode } from "../base/error-code.js";
import { outputError } from "../base/output-error.js";

/** A file that bytes can be added to the end of. */
export interface AppendedFile {
  /** After an error the file is closed. */
  append(bytes: Uint8Array): void;
  /** Nothing happens where it is closed already. */
  close(): void;
}

/** The file system as far as day directories need it. */
export interface PartFiles {
  /** Opens a file to add to it, creating it and its directory. */
  open(path: string): AppendedFile;
  /** Returns once the content of a file, or the names in a directory, are on the disk. */
  sync(path: string, kind: "file" | "directory"): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  makeDirectory(path: string): Promise<void>;
  /** A file, or a directory with all that is in it; nothing happens where there is none. */
  remove(path: string): Promise<void>;
}

/**
 * Only what waits for the disk leaves the thread: handing a call to another one and back costs
 * several times what opening, renaming and closing cost, and a split of a thousand days has a
 * thousand files.
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

/** The same files, with errors that name the path and say what to do (`outputError`). */
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
    makeDirectory: (path) => named("create", path, files.makeDirectory(path)),
    remove: (path) => named("remove", path, files.remove(path)),
  };
}
