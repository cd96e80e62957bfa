import type { z } from "zod";
import type { EntityKind, provenance, Warning } from "../contract/common.js";
import type { archivable } from "../contract/lifecycle-routes.js";
import type { Surroundings } from "../evaluation/rule-warnings.js";
import type { KeyRecord } from "../storage/key-store.js";
import type { EntityKey, EntityStore } from "../storage/store.js";

/** Fields that kinds of entities share. Reasons are stored with their version only. */
export type EntityBody = Readonly<
  { name: string; version: number } & z.output<z.ZodObject<typeof provenance & typeof archivable>>
>;

/** A kind of entity. */
export interface EntityType<Body extends EntityBody> {
  readonly kind: EntityKind;
  /** In messages: `Gate not found.` */
  readonly title: string;
  idOf(body: Body): string;
  /** Returns the keys of the entities that this one points at. */
  referencesOf(body: Body): readonly EntityKey[];
  /** Returns the state that is stored: its fields that follow from other entities are filled in. */
  completed?(next: Body, before: Body | undefined, entities: Pick<EntityStore, "findAll">): Body;
  /** Returns what can never work as meant in `next`. `before` is undefined for a new entity. */
  warningsOf?(next: Body, surroundings: Surroundings, before?: Body): readonly Warning[];
  /** Kinds of its parts: entities with the same id, which are removed with it. */
  readonly parts?: readonly EntityKind[];
}

/** A kind of entity that exists before its first write. */
export interface DocumentType<Body extends EntityBody> extends EntityType<Body> {
  /** Its own fields before its first write. */
  readonly initial: Readonly<Partial<Body>>;
}

/** A kind of entity that belongs to another one and has its id. */
export interface PartType<Body extends EntityBody, Owner extends EntityBody>
  extends DocumentType<Body> {
  readonly ownerType: EntityType<Owner>;
}

/** The writer and the time of a write. */
export interface Stamp {
  readonly caller: KeyRecord;
  /** ms since the epoch. */
  readonly time: number;
}
