import type { Key, projectRoutes } from "../contract/project.js";
import type { Handlers } from "../http/handler.js";
import type { KeyRecord, KeyStore } from "../storage/key-store.js";
import { pageAnswer, sliceOf } from "./pagination.js";

const company = {
  companyID: "switchyard",
  companyName: "Switchyard",
  isWarehouseNative: false,
  orgID: null,
  orgName: null,
};

/** Answers facts of the project, which has keys but no users. */
export function projectHandlers(keys: KeyStore): Handlers<typeof projectRoutes> {
  return {
    readCompany: async () => ({ content: { data: company } }),
    readProject: async () => ({ content: { data: { id: company.companyID } } }),
    listKeys: async (call) => {
      const records = (await keys.list()).toReversed();
      const { start, count } = sliceOf(call.query);
      const items = records.slice(start, start + count).map(shownKey);
      return pageAnswer(call, { items, totalItems: records.length });
    },
    listUsers: async (call) => pageAnswer(call, { items: [], totalItems: 0 }),
  };
}

function shownKey({ id, kind, prefix, createdTime, ...key }: KeyRecord): Key {
  return {
    id,
    key: null,
    prefix,
    type: keyTypes[kind],
    description: key.name,
    owner: key.owner,
    scopes: key.scopes.map((scope) => wholeScopes[scope] ?? scope),
    status: key.revokedTime === null ? "active" : "deactivated",
    createdTime,
    expiresTime: key.expiresTime,
    lastUsedTime: key.lastUsedTime,
  };
}

/** The platform's names of scopes for the whole console API. */
const wholeScopes: Readonly<Record<string, string>> = {
  read: "omni_read_only",
  write: "omni_read_write",
};

const keyTypes = {
  console: "CONSOLE",
  server: "SERVER",
  client: "CLIENT",
} as const satisfies Record<KeyRecord["kind"], Key["type"]>;
