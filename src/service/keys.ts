import type { Logger } from "pino";
import { omitUndefined } from "../base/omit-undefined.js";
import type { Key, keyRoutes, NewKey } from "../contract/key.js";
import { allows } from "../contract/key-scopes.js";
import { keyFault } from "../http/authentication.js";
import type { Handlers } from "../http/handler.js";
import { keyRecord, newKeyText } from "../http/key-text.js";
import { newKeyFaults } from "../http/new-key-faults.js";
import { invalid, notFound, ServiceError } from "../http/service-error.js";
import type { KeyRecord, KeyStore } from "../storage/key-store.js";
import { pageAnswer, sliceOf } from "./pagination.js";
import { authorOf } from "./write-facts.js";

interface KeyHandlerOptions {
  readonly keys: KeyStore;
  readonly logger: Logger;
  /** Returns ms since the epoch. */
  now(): number;
}

/** Lists, creates and revokes keys. */
export function keyHandlers({ keys, logger, now }: KeyHandlerOptions): Handlers<typeof keyRoutes> {
  const shown = (record: KeyRecord) => shownKey(record, now());
  return {
    listKeys: async (call) => {
      const records = (await keys.list()).toReversed();
      const { start, count } = sliceOf(call.query);
      const items = records.slice(start, start + count).map(shown);
      return pageAnswer(call, { items, totalItems: records.length });
    },

    createKey: async (call) => {
      const { body, caller } = call;
      const createdTime = now();
      const faults = newKeyFaults(body, createdTime);
      if (faults.length > 0) throw invalid(faults);
      requireRights(caller, body);
      const key = newKeyText(body.kind);
      const record = keyRecord(key, { ...omitUndefined(body), createdTime });
      if (call.query.dryRun) return { content: { data: shown(record) } };
      await keys.insert(record, authorOf(call));
      logger.info({ keyId: record.id, byKeyId: caller.id }, "Key created");
      return { content: { data: { ...shown(record), key } } };
    },

    revokeKey: async (call) => {
      const { id } = call.params;
      const [isRehearsal, revokedTime] = [call.query.dryRun, now()];
      if (!isRehearsal && (await keys.revoke(id, revokedTime, authorOf(call)))) {
        logger.info({ keyId: id, byKeyId: call.caller.id }, "Key revoked");
      }
      const record = (await keys.list()).find((one) => one.id === id);
      if (record === undefined) throw notFound("Key");
      // A key that was revoked before keeps its time.
      const revoked = { ...record, revokedTime: record.revokedTime ?? revokedTime };
      return { content: { data: shown(isRehearsal ? revoked : record) } };
    },
  };
}

/** Throws a 403 if a caller would give a right that it does not have itself. */
function requireRights({ scopes: own }: KeyRecord, { kind, scopes = ["write"] }: NewKey): void {
  // A server secret or client key has rights that no part of the console API has.
  const wanted = kind === "console" ? scopes : ["write"];
  const missing = wanted.filter((scope) => !isHeld(own, scope));
  if (missing.length === 0) return;
  const message =
    `Your key has the scopes ${own.join(", ")}, and cannot give ${missing.join(", ")}` +
    `${kind === "console" ? "" : `, which a ${kind} key needs`}: give fewer rights, or use another key.`;
  throw new ServiceError({ status: 403, message });
}

function isHeld(own: readonly string[], scope: string): boolean {
  const [area, what] = scope.includes(":") ? scope.split(":") : ["", scope];
  if (what !== "read" && what !== "write") return false;
  return area === "" ? own.includes("write") || own.includes(what) : allows(own, area ?? "", what);
}

/** Returns a key as answers show it, without its hash. */
function shownKey(record: KeyRecord, now: number): Key {
  const { hash: _, ...key } = record;
  const isValid = keyFault(record, [record.kind], now) === undefined;
  return {
    ...key,
    scopes: [...key.scopes],
    key: null,
    type: keyTypes[key.kind],
    description: key.name,
    status: isValid ? "active" : "deactivated",
  };
}

const keyTypes = {
  console: "CONSOLE",
  server: "SERVER",
  client: "CLIENT",
} as const satisfies Record<KeyRecord["kind"], Key["type"]>;
