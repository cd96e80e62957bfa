import { readFile } from "node:fs/promises";
import { UsageError } from "../base/errors.js";
import type { Environment } from "./configuration-types.js";

export const HASH_SALT_VARIABLE = "SWITCHYARD_HASH_SALT";

/** The salt for hashed paths: from the environment, else from the file, without its last line end. */
export async function readHashSalt(
  environment: Environment,
  file: string | undefined,
): Promise<string | undefined> {
  const given = environment[HASH_SALT_VARIABLE];
  if (given !== undefined && given !== "") return given;
  if (file === undefined) return undefined;
  let salt: string;
  try {
    salt = (await readFile(file, "utf8")).replace(/\r?\n$/, "");
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    throw new UsageError("salt_unreadable", `The salt file ${file} cannot be read (${code}).`, {
      cause: error,
    });
  }
  if (salt === "") throw new UsageError("salt_empty", `The salt file ${file} is empty.`);
  return salt;
}
