import type { Stamp } from "../../src/service/entity-type.js";
import type { NewIdentifier } from "../../src/service/new-entity.js";
import type { KeyRecord } from "../../src/storage/key-store.js";

export const callerKey: KeyRecord = {
  id: "key-1",
  kind: "console",
  name: "CONSOLE API",
  owner: null,
  scopes: ["write"],
  requestsPerMinuteMax: null,
  expiresTime: null,
  lastUsedTime: null,
  targetApp: null,
  hash: "00",
  prefix: "console-",
  createdTime: 0,
  revokedTime: null,
};

export const stamp: Stamp = { caller: callerKey, time: 1_700_000_000_000 };

/** The facts that the service adds to an entity made with `stamp`. */
export const stampedFields = {
  creatorID: "key-1",
  creatorName: "CONSOLE API",
  creatorEmail: null,
  createdTime: 1_700_000_000_000,
  lastModifierID: "key-1",
  lastModifierName: "CONSOLE API",
  lastModifierEmail: null,
  lastModifiedTime: 1_700_000_000_000,
  owner: { ownerID: "key-1", ownerType: "SDK_KEY", ownerName: "CONSOLE API", ownerEmail: "" },
  version: 1,
};

/** `identifier-1`, `identifier-2` … */
export function countedIdentifiers(): NewIdentifier {
  let count = 0;
  return () => {
    count += 1;
    return `identifier-${count}`;
  };
}
