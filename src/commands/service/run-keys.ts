import { existsSync } from "node:fs";
import { join } from "node:path";
import { exitCodes, SwitchyardError, UsageError } from "../../base/errors.js";
import { keyRecord, newKeyText } from "../../http/key-text.js";
import { consoleFile } from "../../storage/data-files.js";
import type { KeyRecord, KeyStore } from "../../storage/key-store.js";
import { openSqliteKeys } from "../../storage/sqlite-store.js";
import type { CommandContext } from "../context.js";
import { type CommandLine, runConfigured } from "../run-configured.js";
import { type NewKeyFlags, newKeyFacts } from "./new-key-rights.js";
import { serviceOptionsOf } from "./service-options.js";

/** How the audit log names the command line. */
const AUTHOR = { keyID: "", keyName: "command line", requestID: "switchyard keys" } as const;

export type KeysAction =
  | { readonly name: "create"; readonly flags: NewKeyFlags }
  | { readonly name: "list" }
  | { readonly name: "revoke"; readonly id: string };

/** The output of a command: for programs, for people, and a note. */
interface Printed {
  readonly json: object;
  readonly text: string;
  /** Printed on standard error. */
  readonly note?: string;
}

/** Runs one action on the keys of a data directory and returns the exit code; never throws. */
export function runKeys(
  action: KeysAction,
  line: CommandLine,
  context: CommandContext,
): Promise<number> {
  return runConfigured("keys", line, context, async ({ values }, output) => {
    const { dataDirectory } = serviceOptionsOf(values, context.currentDirectory);
    requireUsable(action, dataDirectory);
    const { keys, close } = await openSqliteKeys(dataDirectory);
    try {
      const { json, text, note } = await act(action, keys);
      const result = { command: "keys", exitCode: exitCodes.done, ...json };
      context.stdout.write(output.json ? `${JSON.stringify(result)}\n` : text);
      if (!output.json && note !== undefined) context.stderr.write(note);
    } finally {
      close();
    }
    return exitCodes.done;
  });
}

/** Throws `UsageError` if the data directory does not exist; only `create` may create it. */
function requireUsable(action: KeysAction, dataDirectory: string): void {
  if (dataDirectory === ":memory:") {
    throw new UsageError(
      "data_missing",
      "A service in memory has no stored keys: pass a directory as --data.",
    );
  }
  if (action.name === "create" || existsSync(join(dataDirectory, consoleFile.name))) return;
  throw new UsageError(
    "data_missing",
    `There is no service data in ${dataDirectory}: pass the directory of \`switchyard serve\` as --data.`,
  );
}

function act(action: KeysAction, keys: KeyStore): Promise<Printed> {
  switch (action.name) {
    case "create":
      return create(keys, action.flags);
    case "list":
      return list(keys);
    case "revoke":
      return revoke(keys, action.id);
  }
}

async function create(keys: KeyStore, flags: NewKeyFlags): Promise<Printed> {
  const facts = newKeyFacts(flags, Date.now());
  const key = newKeyText(facts.kind);
  const record = keyRecord(key, facts);
  await keys.insert(record, AUTHOR);
  const { hash: _, ...shown } = record;
  return {
    json: { ...shown, key },
    text: `${key}\n`,
    note: `Key ${record.id} was created. It is shown only now; the service stores its hash.\n`,
  };
}

async function list(keys: KeyStore): Promise<Printed> {
  const records = await keys.list();
  const shown = records.map(({ hash: _, ...record }) => record);
  return { json: { keys: shown }, text: keyTable(records) };
}

/** Revokes a key. A key that was revoked before is not an error. */
async function revoke(keys: KeyStore, id: string): Promise<Printed> {
  const isRevoked = await keys.revoke(id, Date.now(), AUTHOR);
  const record = (await keys.list()).find((one) => one.id === id);
  if (record === undefined) {
    throw new SwitchyardError(
      "key_unknown",
      `there is no key ${id}: see \`switchyard keys list\` for the ids`,
    );
  }
  const { revokedTime } = record;
  const note = isRevoked
    ? `Key ${id} is revoked: requests with it are refused from now on.\n`
    : `Key ${id} was revoked before.\n`;
  return { json: { id, revokedTime }, text: note };
}

const heads = [
  "ID",
  "NAME",
  "OWNER",
  "KIND",
  "SCOPES",
  "APP",
  "BEGINS WITH",
  "CREATED",
  "LAST USED",
  "EXPIRES",
  "REVOKED",
] as const;

/** Returns a table of keys, one per line, without the keys themselves. */
export function keyTable(records: readonly KeyRecord[]): string {
  const rows = [heads, ...records.map(cellsOf)];
  const widths = heads.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd();
  return `${rows.map(line).join("\n")}\n`;
}

function cellsOf(record: KeyRecord): readonly string[] {
  const { id, name, owner, kind, scopes, targetApp, prefix } = record;
  const { createdTime, lastUsedTime, expiresTime, revokedTime } = record;
  const facts = [id, name, owner ?? "-", kind, scopes.join(",") || "-", targetApp ?? "-", prefix];
  return [...facts, ...[createdTime, lastUsedTime, expiresTime, revokedTime].map(timeText)];
}

/** Returns a time in UTC, without fractions of a second. */
function timeText(time: number | null): string {
  return time === null ? "-" : new Date(time).toISOString().replace(/\.\d+Z$/, "Z");
}
