import { readFile } from "node:fs/promises";
import { UsageError } from "../../base/errors.js";
import type { Environment } from "./configuration-types.js";

export const HASH_SALT_VARIABLE = "SWITCHYARD_HASH_SALT";

export const SERVER_SECRET_VARIABLE = "SWITCHYARD_SERVER_SECRET";

export const CONSOLE_KEY_VARIABLE = "SWITCHYARD_CONSOLE_KEY";

/** The salt for hashed paths: from the environment, else from the file. */
export async function readHashSalt(
  environment: Environment,
  file: string | undefined,
): Promise<string | undefined> {
  return readSecret(environment[HASH_SALT_VARIABLE], file, (reason, cause) =>
    reason === ""
      ? new UsageError("salt_empty", `The salt file ${file} is empty.`)
      : new UsageError("salt_unreadable", `The salt file ${file} cannot be read (${reason}).`, {
          cause,
        }),
  );
}

/** The key of the console: from the environment, else from the file. */
export async function readConsoleKey(
  environment: Environment,
  file: string | undefined,
): Promise<string | undefined> {
  const given = environment[CONSOLE_KEY_VARIABLE];
  const key = await readSecret(given, file, (reason, cause) => {
    const what = reason === "" ? "is empty" : `cannot be read (${reason})`;
    return new UsageError("key_file_unusable", `The file of the console key ${file} ${what}.`, {
      cause,
    });
  });
  return requireHeaderText(key, given === key ? CONSOLE_KEY_VARIABLE : file);
}

/** The secret of the event webhook: from the environment, else from the file. */
export async function readServerSecret(
  environment: Environment,
  file: string | undefined,
): Promise<string | undefined> {
  const given = environment[SERVER_SECRET_VARIABLE];
  const secret = await readSecret(given, file, (reason, cause) => {
    const what = reason === "" ? "is empty" : `cannot be read (${reason})`;
    return new UsageError("secret_unreadable", `The file of the server secret ${file} ${what}.`, {
      cause,
    });
  });
  return requireHeaderText(secret, given === secret ? SERVER_SECRET_VARIABLE : file);
}

function requireHeaderText(
  secret: string | undefined,
  place: string | undefined,
): string | undefined {
  if (secret === undefined || /^[\x21-\x7e]+$/.test(secret)) return secret;
  throw new UsageError(
    "secret_malformed",
    `${place} holds no secret that a header can carry: visible ASCII characters without a space.`,
  );
}

/** Without the last line end of the file. `unusable` makes the error; no reason means an empty file. */
async function readSecret(
  given: string | undefined,
  file: string | undefined,
  unusable: (reason: string, cause?: unknown) => UsageError,
): Promise<string | undefined> {
  if (given !== undefined && given !== "") return given;
  if (file === undefined) return undefined;
  let secret: string;
  try {
    secret = (await readFile(file, "utf8")).replace(/\r?\n$/, "");
  } catch (error) {
    throw unusable((error as NodeJS.ErrnoException).code ?? "no code", error);
  }
  if (secret === "") throw unusable("");
  return secret;
}
