import {
  DummyDriver,
  type Generated,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import type { EntityKind } from "../contract/entity-kind.js";
import type { KeyKind } from "./key-store.js";

/** Texts that clients choose are kept as `storedText` makes them; times are ms since the epoch. */
export interface Tables {
  entity: {
    row: Generated<number>;
    kind: EntityKind;
    id: string;
    name: string;
    version: number;
    created_time: number;
    /** JSON: the keys of the entities that it points at. */
    reference_keys: string;
  };
  /** A body for every version; the one of the entity's own `version` is its present state. */
  entity_version: {
    entity: number;
    version: number;
    /** JSON. */
    body: string;
  };
  /** `created_time`, `source_id` and `source_kind` are the source's, to list in their order. */
  reference: {
    target_kind: EntityKind;
    target_id: string;
    created_time: number;
    source_id: string;
    source_kind: EntityKind;
    source: number;
  };
  /** Counted by triggers. */
  entity_total: { kind: EntityKind; entities: number };
  /** Counted by triggers. */
  referrer_total: { target_kind: EntityKind; target_id: string; referrers: number };
  key: {
    id: string;
    kind: KeyKind;
    can_write: 0 | 1;
    hash: string;
    prefix: string;
    created_time: number;
    revoked_time: number | null;
  };
}

/** Writes queries; it has no connection and runs none. */
export const query = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (database) => new SqliteIntrospector(database),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
});
