import { createHash } from "node:crypto";
import { SwitchyardError } from "../../src/base/errors.js";
import type { AnyObject } from "../../src/contract/fields.js";
import {
  filterValuesOf,
  isArchived,
  type ListFilter,
  searchTextOf,
} from "../../src/contract/list-query.js";
import type { Author } from "../../src/storage/author.js";
import type { KeyRecord } from "../../src/storage/key-store.js";
import type { SessionRecord } from "../../src/storage/session-store.js";
import type {
  AuditFilter,
  AuditRecord,
  EntityKey,
  EntityPage,
  EntityRecord,
  Slice,
  Store,
} from "../../src/storage/store.js";
import { noEventStore } from "./records.js";

/**
 * A store that keeps everything in maps: the plainest one that the conformance suite holds for, and the
 * oracle of the property test.
 */
export function modelStore(now: () => number = Date.now): Store {
  const records = new Map<string, EntityRecord>();
  const lists = new Map<string, ReadonlySet<string>>();
  const snapshots = new Map<string, AnyObject[]>();
  const files = new Map<string, string>();
  const followers = new Map<string, number>();
  const keys = new Map<string, KeyRecord>();
  const sessions = new Map<string, SessionRecord>();
  const changes: AuditRecord[] = [];
  const latestChange = () => changes.at(-1) ?? { sequence: 0, time: 0 };
  type Logged = Pick<AuditRecord, "kind" | "id"> & { version: number; body?: AnyObject };
  const log = (before: Logged | undefined, next: Logged | undefined, author?: Author) => {
    const { sequence, time } = latestChange();
    const { kind, id, body = null } = (next ?? before) as Logged;
    changes.push({
      sequence: sequence + 1,
      time: Math.max(now(), time + 1),
      kind,
      id,
      version: next?.version ?? null,
      fromVersion: before?.version ?? null,
      author: author ?? null,
      removed: next === undefined ? body : null,
    });
  };
  const place = ({ kind, id }: EntityKey) => `${kind}/${id}`;
  const all = () => [...records.values()].sort(newestFirst);
  const nameTaken = ({ kind, id, name }: EntityRecord) =>
    all().some((other) => other.kind === kind && other.id !== id && other.name === name);
  const pointsAt = (key: EntityKey) => (record: EntityRecord) =>
    record.references.some((reference) => place(reference) === place(key));
  const isReferenced = (key: EntityKey) =>
    all().some((other) => place(other) !== place(key) && pointsAt(key)(other));
  const keep = (record: EntityRecord) => {
    records.set(place(record), record);
    snapshots.set(place(record), [record.body, ...(snapshots.get(place(record)) ?? [])]);
  };
  return {
    entities: {
      get: async (key) => records.get(place(key)),
      find: (key) => records.get(place(key)),
      findAll: (kind) => all().filter((record) => record.kind === kind),
      list: async (kind, slice, filter) =>
        pageOf(
          all()
            .filter((record) => record.kind === kind && isListed(record.body, filter))
            .map((record) => ({ ...record, bodyText: JSON.stringify(record.body) })),
          slice,
        ),
      listedIDs: async (key, { start, count }) =>
        [...(lists.get(place(key)) ?? [])].sort().slice(start, start + count),
      write: async (key, change, { rehearse = false, unreferenced = false, list, author } = {}) => {
        const before = records.get(place(key));
        const ids = new Set(list?.how === "replace" ? [] : lists.get(place(key)));
        const idsBefore = lists.get(place(key))?.size ?? 0;
        for (const id of list?.ids ?? []) {
          if (list?.how === "remove") ids.delete(id);
          else ids.add(id);
        }
        const next = change(before, ids.size - idsBefore);
        if (before !== undefined && unreferenced && isReferenced(key)) return "referenced";
        if (next !== undefined && nameTaken(next)) return "name_taken";
        if (rehearse) return "written";
        if (next === undefined) {
          if (before !== undefined) log(before, next, author);
          snapshots.delete(place(key));
          records.delete(place(key));
          lists.delete(place(key));
        } else {
          lists.set(place(key), ids);
          keep(next);
          log(before, next, author);
        }
        return "written";
      },
      versions: async (key, slice) => pageOf(snapshots.get(place(key)) ?? [], slice),
      referrers: async (key, slice, kind) =>
        pageOf(
          all()
            .filter(pointsAt(key))
            .filter((record) => kind === undefined || record.kind === kind),
          slice,
        ),
      scan: async (after, count) => {
        const page = [...records.values()].slice(after, after + count);
        return { records: page, next: page.length < count ? undefined : after + count };
      },
      listFile: async (key) => {
        if (!records.has(place(key))) return undefined;
        const text = fileText(lists.get(place(key)) ?? new Set());
        const id = `${place(key)} ${text}`;
        files.set(id, text);
        return { id, createdTime: 1, size: text.length };
      },
      readListFile: async (id, start) => files.get(id)?.slice(start),
      isListed: (key, id) => lists.get(place(key))?.has(id) ?? false,
      latestChange: () => {
        const { sequence, time } = latestChange();
        return { sequence, time };
      },
      changesAfter: async (after, count) =>
        changes
          .filter(({ sequence }) => sequence > after)
          .slice(0, count)
          .map(({ sequence, time, kind, id, version }) => ({ sequence, time, kind, id, version })),
      followerPosition: (name) => followers.get(name),
      moveFollower: async (name, sequence) => void followers.set(name, sequence),
      auditLog: async (filter, slice) =>
        pageOf(
          changes
            .filter((change) => isAudited(change, filter))
            .map((change) => ({ ...change, removed: null }))
            .reverse(),
          slice,
        ),
      auditRecord: async (wanted) => changes.find(({ sequence }) => sequence === wanted),
    },
    keys: {
      find: async (hash) => [...keys.values()].find((key) => key.hash === hash),
      list: async () =>
        [...keys.values()].sort((left, right) => left.createdTime - right.createdTime),
      insert: async (key, author) => {
        if ([...keys.values()].some(({ id, hash }) => id === key.id || hash === key.hash)) {
          throw new SwitchyardError("key_taken", `${key.id} is stored already`);
        }
        keys.set(key.id, key);
        if (author) log(undefined, { kind: "key", id: key.id, version: 1 }, author);
      },
      noteUse: ({ id }, time) => {
        const key = keys.get(id);
        if (key === undefined || time - (key.lastUsedTime ?? -60_000) < 60_000) return;
        keys.set(id, { ...key, lastUsedTime: time });
      },
      revoke: async (id, time, author) => {
        const key = keys.get(id);
        if (key === undefined || key.revokedTime !== null) return false;
        keys.set(id, { ...key, revokedTime: time });
        const logged = { kind: "key", id } as const;
        if (author) log({ ...logged, version: 1 }, { ...logged, version: 2 }, author);
        return true;
      },
    },
    sessions: {
      find: async (hash) => sessions.get(hash),
      insert: async (session) => {
        for (const { hash, expiresTime } of [...sessions.values()]) {
          if (expiresTime <= session.createdTime) sessions.delete(hash);
        }
        sessions.set(session.hash, session);
      },
      remove: async (hash) => void sessions.delete(hash),
    },
    events: noEventStore,
    probe: async () => undefined,
    size: () => Promise.reject(new Error("a model has no size")),
    close: async () => undefined,
  };
}

/** A whole new file for each state of a list. */
function fileText(ids: ReadonlySet<string>): string {
  const hashed = (id: string) => createHash("sha256").update(id).digest("base64").slice(0, 8);
  return [...ids].map((id) => `+${hashed(id)}\n`).join("");
}

function isListed(body: AnyObject, filter: ListFilter | undefined): boolean {
  if (filter === undefined) return true;
  const held = filterValuesOf(body);
  return (
    (filter.archived || !isArchived(body)) &&
    searchTextOf(body).includes(filter.search) &&
    Object.entries(filter.values).every(([name, wanted]) =>
      wanted.some((value) => held[name]?.includes(value)),
    )
  );
}

function newestFirst(left: EntityRecord, right: EntityRecord): number {
  return (
    right.createdTime - left.createdTime ||
    // By code points, which is the order of their bytes.
    Buffer.compare(Buffer.from(left.id), Buffer.from(right.id)) ||
    (left.kind < right.kind ? -1 : 1)
  );
}

function pageOf<Item>(items: readonly Item[], { start, count }: Slice): EntityPage<Item> {
  return { items: items.slice(start, start + count), totalItems: items.length };
}

function isAudited(change: AuditRecord, filter: AuditFilter): boolean {
  const { kinds, id, actions, authors, requestID, from, to } = filter;
  const { keyID = "", keyName = "" } = change.author ?? {};
  const action =
    change.version === null ? "delete" : change.fromVersion === null ? "create" : "update";
  return (
    (kinds?.includes(change.kind) ?? true) &&
    (id === undefined || change.id === id) &&
    (actions?.includes(action) ?? true) &&
    (authors?.some((one) => change.author !== null && (one === keyID || one === keyName)) ??
      true) &&
    (requestID === undefined || change.author?.requestID === requestID) &&
    (from === undefined || change.time >= from) &&
    (to === undefined || change.time < to)
  );
}
