import { readFile } from "node:fs/promises";
import { UsageError } from "../base/errors.js";

export type Environment = Readonly<Record<string, string | undefined>>;

export const HASH_SALT_VARIABLE = "SWITCHYARD_HASH_SALT";

export const SERVER_SECRET_VARIABLE = "SWITCHYARD_SERVER_SECRET";

export const CONSOLE_KEY_VARIABLE = "SWITCHYARD_CONSOLE_KEY";

export const CLIENT_KEY_VARIABLE = "SWITCHYARD_CLIENT_KEY";

/** Signs what webhooks send. */
export const WEBHOOK_SECRET_VARIABLE = "SWITCHYARD_WEBHOOK_SECRET";

/** A secret: its variable, its name in messages, and the error for a file that is empty or unreadable. */
interface Secret {
  readonly variable: string;
  readonly title: string;
  error(message: string, isEmpty: boolean, cause?: Error): UsageError;
}

const hashSalt: Secret = {
  variable: HASH_SALT_VARIABLE,
  title: "the salt",
  error: (message, isEmpty, cause) =>
    new UsageError(isEmpty ? "salt_empty" : "salt_unreadable", message, { cause }),
};

const consoleKey: Secret = {
  variable: CONSOLE_KEY_VARIABLE,
  title: "the console key",
  error: (message, _, cause) => new UsageError("key_file_unusable", message, { cause }),
};

const serverSecret: Secret = {
  variable: SERVER_SECRET_VARIABLE,
  title: "the server secret",
  error: (message, _, cause) => new UsageError("secret_unreadable", message, { cause }),
};

type Read = (environment: Environment, file: string | undefined) => Promise<string | undefined>;

/** Reads the salt for hashed paths: from the environment, else from the file. */
export const readHashSalt: Read = (environment, file) => readSecret(environment, file, hashSalt);

/** Reads the key of the console: from the environment, else from the file. */
export const readConsoleKey: Read = (environment, file) =>
  readHeaderSecret(environment, file, consoleKey);

/** Reads the secret of the event webhook: from the environment, else from the file. */
export const readServerSecret: Read = (environment, file) =>
  readHeaderSecret(environment, file, serverSecret);

/** Reads a key of a vendor: from its variable, else from the file that the variable with `_FILE` names. */
export async function readVendorKey(environment: Environment, variable: string): Promise<string> {
  const file = environment[`${variable}_FILE`] || undefined;
  const unusable = (message: string, cause?: Error) =>
    new UsageError("vendor_key_missing", message, { cause });
  const kind = {
    variable,
    title: variable,
    error: (text: string, _: boolean, cause?: Error) => unusable(text, cause),
  };
  const key = (await readSecret(environment, file, kind))?.trim() ?? "";
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  const what = key === "" ? "is not set" : "has a character that no key has";
  throw unusable(
    `${variable} ${what}. Set it in the environment, or ${variable}_FILE to the path of a file.`,
  );
}

/** Reads a secret that is sent in a header. */
async function readHeaderSecret(
  environment: Environment,
  file: string | undefined,
  kind: Secret,
): Promise<string | undefined> {
  const secret = await readSecret(environment, file, kind);
  if (secret === undefined || /^[\x21-\x7e]+$/.test(secret)) return secret;
  const origin = environment[kind.variable] === secret ? kind.variable : file;
  throw new UsageError(
    "secret_malformed",
    `${origin} cannot be sent in a header. Use only visible ASCII characters without a space.`,
  );
}

/** Reads a secret without the line end at the end of the file. */
async function readSecret(
  environment: Environment,
  file: string | undefined,
  { variable, title, error }: Secret,
): Promise<string | undefined> {
  const given = environment[variable];
  if (given !== undefined && given !== "") return given;
  if (file === undefined) return undefined;
  const text = await readFile(file, "utf8").catch((cause: NodeJS.ErrnoException) => {
    const reason = cause.code ?? cause.message;
    throw error(`The file of ${title} ${file} cannot be read (${reason}).`, false, cause);
  });
  const secret = text.replace(/\r?\n$/, "");
  if (secret === "") throw error(`The file of ${title} ${file} is empty.`, true);
  return secret;
}
