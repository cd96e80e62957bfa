import { chmod, open, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { makeDirectory } from "../base/make-directory.js";

const DIRECTORY_MODE = 0o700;
const FILE_MODE = 0o600;
const OTHERS = 0o077;

/**
 * Makes a file that only its owner can read, and its directory if it is missing. SQLite gives the files
 * beside a database the mode of the database. Throws the system's error.
 */
export async function makePrivateFile(path: string): Promise<void> {
  await makeDirectory(dirname(path), DIRECTORY_MODE);
  await (await open(path, "a", FILE_MODE)).close();
  // Files of earlier versions.
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    const mode = await stat(file).then(
      (found) => found.mode,
      () => 0,
    );
    if ((mode & OTHERS) !== 0) await chmod(file, FILE_MODE);
  }
}
