import type { EntityKind } from "../contract/entity-kind.js";
import { query } from "./sqlite-schema.js";
import { statement } from "./sqlite-statement.js";

/** An entity's key as it is stored. */
export interface StoredKey {
  readonly kind: EntityKind;
  readonly id: string;
}

/** An entity with its present body, as it is stored. */
export interface StoredEntity extends StoredKey {
  readonly name: string;
  readonly version: number;
  readonly created_time: number;
  readonly reference_keys: string;
  readonly body: string;
}

interface StoredSlice {
  readonly start: number;
  readonly count: number;
}

const entityWithBody = query
  .selectFrom("entity")
  .innerJoin("entity_version", (join) =>
    join
      .onRef("entity_version.entity", "=", "entity.row")
      .onRef("entity_version.version", "=", "entity.version"),
  )
  .select([
    "entity.kind",
    "entity.id",
    "entity.name",
    "entity.version",
    "entity.created_time",
    "entity.reference_keys",
    "entity_version.body",
  ]);

export const selectEntity = statement(({ kind, id }: StoredKey) =>
  entityWithBody.where("entity.kind", "=", kind).where("entity.id", "=", id),
);

/** The rows of the page are found in the index alone; only they are read whole. */
export const selectEntities = statement(
  ({ kind, start, count }: StoredSlice & { readonly kind: EntityKind }) =>
    entityWithBody
      .where("entity.row", "in", (page) =>
        page
          .selectFrom("entity")
          .select("row")
          .where("kind", "=", kind)
          .orderBy("created_time", "desc")
          .orderBy("id")
          .limit(count)
          .offset(start),
      )
      .orderBy("entity.created_time", "desc")
      .orderBy("entity.id"),
);

export const selectEntityTotal = statement(({ kind }: { readonly kind: EntityKind }) =>
  query.selectFrom("entity_total").select("entities as total").where("kind", "=", kind),
);

/** What a write has to know of the state before it. */
export const selectState = statement(({ kind, id }: StoredKey) =>
  query
    .selectFrom("entity")
    .select(["row", "version", "name", "created_time", "reference_keys"])
    .where("kind", "=", kind)
    .where("id", "=", id),
);

export const selectByName = statement(
  ({ kind, name }: { readonly kind: EntityKind; readonly name: string }) =>
    query.selectFrom("entity").select("row").where("kind", "=", kind).where("name", "=", name),
);

export const insertEntity = statement((entity: Omit<StoredEntity, "body">) =>
  query.insertInto("entity").values({
    kind: entity.kind,
    id: entity.id,
    name: entity.name,
    version: entity.version,
    created_time: entity.created_time,
    reference_keys: entity.reference_keys,
  }),
);

export const insertVersion = statement(
  ({ row, version, body }: { row: number; version: number; body: string }) =>
    query.insertInto("entity_version").values({ entity: row, version, body }),
);

/** Of a change that leaves name, creation and references alone: no index is touched. */
export const updateVersion = statement(({ row, version }: { row: number; version: number }) =>
  query.updateTable("entity").set({ version }).where("row", "=", row),
);

export const updateEntity = statement(
  (entity: Omit<StoredEntity, "body" | "kind" | "id"> & { readonly row: number }) =>
    query
      .updateTable("entity")
      .set({
        name: entity.name,
        version: entity.version,
        created_time: entity.created_time,
        reference_keys: entity.reference_keys,
      })
      .where("row", "=", entity.row),
);

/** Versions and references go with it: the schema cascades. */
export const deleteEntity = statement(({ row }: { readonly row: number }) =>
  query.deleteFrom("entity").where("row", "=", row),
);

/** Who points at the entity, beside itself. */
export const selectOtherReferrer = statement(({ kind, id, row }: StoredKey & { row: number }) =>
  query
    .selectFrom("reference")
    .select("source")
    .where("target_kind", "=", kind)
    .where("target_id", "=", id)
    .where("source", "!=", row)
    .limit(1),
);

/** An entity may name the same target twice: that is one reference. */
export const insertReference = statement(
  (reference: {
    readonly target_kind: EntityKind;
    readonly target_id: string;
    readonly created_time: number;
    readonly source_id: string;
    readonly source_kind: EntityKind;
    readonly source: number;
  }) =>
    query
      .insertInto("reference")
      .values({
        target_kind: reference.target_kind,
        target_id: reference.target_id,
        created_time: reference.created_time,
        source_id: reference.source_id,
        source_kind: reference.source_kind,
        source: reference.source,
      })
      .onConflict((conflict) => conflict.doNothing()),
);

export const deleteReferences = statement(({ source }: { readonly source: number }) =>
  query.deleteFrom("reference").where("source", "=", source),
);

export const selectReferrers = statement(({ kind, id, start, count }: StoredKey & StoredSlice) =>
  entityWithBody
    .where("entity.row", "in", (page) =>
      page
        .selectFrom("reference")
        .select("source")
        .where("target_kind", "=", kind)
        .where("target_id", "=", id)
        .orderBy("reference.created_time", "desc")
        .orderBy("source_id")
        .orderBy("source_kind")
        .limit(count)
        .offset(start),
    )
    .orderBy("entity.created_time", "desc")
    .orderBy("entity.id")
    .orderBy("entity.kind"),
);

export const selectReferrerTotal = statement(({ kind, id }: StoredKey) =>
  query
    .selectFrom("referrer_total")
    .select("referrers as total")
    .where("target_kind", "=", kind)
    .where("target_id", "=", id),
);

export const selectVersions = statement(({ kind, id, start, count }: StoredKey & StoredSlice) =>
  query
    .selectFrom("entity")
    .innerJoin("entity_version", "entity_version.entity", "entity.row")
    .select("entity_version.body")
    .where("entity.kind", "=", kind)
    .where("entity.id", "=", id)
    .orderBy("entity_version.version", "desc")
    .limit(count)
    .offset(start),
);

export const selectVersionTotal = statement(({ kind, id }: StoredKey) =>
  query
    .selectFrom("entity")
    .innerJoin("entity_version", "entity_version.entity", "entity.row")
    .select((count) => count.fn.countAll<number>().as("total"))
    .where("entity.kind", "=", kind)
    .where("entity.id", "=", id),
);
