import type { EntityKind } from "../contract/entity-kind.js";
import type { JsonObject } from "../contract/fields.js";
import type { KeyRecord } from "../storage/key-store.js";
import type { EntityKey, EntityRecord, EntityStore } from "../storage/store.js";
import type { Answer, CallFacts, IfMatch } from "./handler.js";
import { type ListCall, pageAnswer, readPage } from "./pagination.js";
import { notFound, ServiceError, taken } from "./service-error.js";

/** Name that the service gives to those who write through its API. */
export const ACTOR_NAME = "CONSOLE API";

/** Times that a checked change is repeated because another write came between check and write. */
const CHECKED_CHANGES_MAX = 100;

/** Thrown when another write has replaced the state that a change was checked on. */
const outdated = new Error("the checked state was replaced");

/** Fields that every entity shows. */
interface EntityBody {
  readonly name: string;
  readonly version: number;
  readonly createdTime: number;
  readonly lastModifiedTime: number;
  readonly lastModifierID: string | null;
  readonly lastModifierName: string | null;
  readonly lastModifierEmail: string | null;
}

/** A kind of entity. */
export interface EntityType<Body extends EntityBody> {
  readonly kind: EntityKind;
  /** In messages: `Gate not found.` */
  readonly title: string;
  idOf(body: Body): string;
  /** Returns the keys of the entities that this one points at. */
  referencesOf(body: Body): readonly EntityKey[];
}

/** The writer and the time of a write. */
export interface Stamp {
  readonly caller: KeyRecord;
  /** ms since the epoch. */
  readonly time: number;
}

export interface OperationOptions<Body> {
  /** Answers as the real call would, and stores nothing. */
  readonly dryRun?: boolean;
  /**
   * Throws if the next state must not be stored. For checks that take time: they run before the
   * transaction.
   */
  readonly check?: (next: Body, current?: Body) => Promise<void>;
}

interface ChangeOptions<Body> extends OperationOptions<Body> {
  /** Refuses the change while another entity points at this one. */
  readonly unreferenced?: boolean;
}

type WriteFacts = Pick<CallFacts, "caller" | "ifMatch">;

/** A call that creates an entity. The id is derived from the name by default. */
interface CreateCall extends Pick<CallFacts, "caller"> {
  readonly body: { readonly name: string; readonly id?: string };
}

type Create<Body> = (stamp: Stamp) => Body;
type Change<Body> = (current: Body, stamp: Stamp) => Body;

/** The operations on entities of any kind. They throw `ServiceError`. */
export class EntityOperations {
  readonly #entities: EntityStore;
  readonly #now: () => number;

  /** `now` returns ms since the epoch. */
  constructor(entities: EntityStore, now: () => number) {
    this.#entities = entities;
    this.#now = now;
  }

  /** Stores what `build` returns as version 1. */
  async create<Body extends EntityBody>(
    type: EntityType<Body>,
    call: CreateCall,
    build: Create<Body>,
    options: OperationOptions<Body> = {},
  ): Promise<Answer> {
    const body = build({ caller: call.caller, time: this.#now() });
    await options.check?.(body);
    const makeFirst = (stored: Body | undefined) => {
      if (stored !== undefined) throw taken(call.body.id === undefined ? "name" : "id");
      return body;
    };
    return this.#write(type, type.idOf(body), makeFirst, options);
  }

  /** Stores what `build` makes of another entity as version 1 of a new one; the other one stays. */
  async copy<Body extends EntityBody>(
    type: EntityType<Body>,
    id: string,
    call: CreateCall & WriteFacts,
    build: (original: Body, stamp: Stamp) => Body,
  ): Promise<Answer> {
    const original = await this.#get(type, id);
    requireMatch(call.ifMatch, original.version);
    return this.create(type, call, (stamp) => build(original, stamp));
  }

  async read<Body extends EntityBody>(type: EntityType<Body>, id: string): Promise<Answer> {
    return entityAnswer(await this.#get(type, id));
  }

  async list<Body extends EntityBody>(type: EntityType<Body>, call: ListCall): Promise<Answer> {
    const page = await readPage(call, (slice) => this.#entities.list(type.kind, slice));
    return pageAnswer(call, { ...page, items: page.items.map(({ body }) => body) });
  }

  async versions<Body extends EntityBody>(
    type: EntityType<Body>,
    id: string,
    call: ListCall,
  ): Promise<Answer> {
    await this.#get(type, id);
    const key = { kind: type.kind, id };
    return pageAnswer(call, await readPage(call, (slice) => this.#entities.versions(key, slice)));
  }

  /** Lists the entities that point at this one, each as `show` returns it. */
  async referrers<Body extends EntityBody>(
    type: EntityType<Body>,
    id: string,
    call: ListCall,
    show: (record: EntityRecord) => JsonObject,
  ): Promise<Answer> {
    await this.#get(type, id);
    const key = { kind: type.kind, id };
    const page = await readPage(call, (slice) => this.#entities.referrers(key, slice));
    return pageAnswer(call, { ...page, items: page.items.map(show) });
  }

  /** Stores what `change` makes of the stored state as its next version. */
  async change<Body extends EntityBody>(
    type: EntityType<Body>,
    id: string,
    facts: WriteFacts,
    change: Change<Body>,
    options: ChangeOptions<Body> = {},
  ): Promise<Answer> {
    const makeNext = (stored: Body | undefined) => {
      if (stored === undefined) throw notFound(type.title);
      return this.#next(stored, facts, change);
    };
    const { check } = options;
    if (check === undefined) return this.#write(type, id, makeNext, options);
    for (let count = 0; count < CHECKED_CHANGES_MAX; count += 1) {
      const current = await this.#get(type, id);
      const next = makeNext(current);
      await check(next, current);
      const makeChecked = (stored: Body | undefined) => {
        if (stored === undefined) throw notFound(type.title);
        if (!isSameState(stored, current)) throw outdated;
        return next;
      };
      try {
        return await this.#write(type, id, makeChecked, options);
      } catch (error) {
        if (error !== outdated) throw error;
      }
    }
    throw collision(type.title);
  }

  /** Does what `change` does, or what `create` does if there is no such entity and no `If-Match`. */
  async upsert<Body extends EntityBody>(
    type: EntityType<Body>,
    id: string,
    facts: WriteFacts,
    { create, change }: { readonly create: Create<Body>; readonly change: Change<Body> },
    options: OperationOptions<Body> = {},
  ): Promise<Answer> {
    const makeNext = (stored: Body | undefined) => {
      if (stored !== undefined) return this.#next(stored, facts, change);
      requireMatch(facts.ifMatch, undefined);
      return create({ caller: facts.caller, time: this.#now() });
    };
    return this.#write(type, id, makeNext, options);
  }

  async remove<Body extends EntityBody>(
    type: EntityType<Body>,
    id: string,
    { ifMatch }: Pick<CallFacts, "ifMatch">,
  ): Promise<Answer> {
    await this.#entities.write({ kind: type.kind, id }, (stored) => {
      if (stored === undefined) throw notFound(type.title);
      requireMatch(ifMatch, stored.version);
      return undefined;
    });
    return { content: {} };
  }

  #next<Body extends EntityBody>(
    current: Body,
    { caller, ifMatch }: WriteFacts,
    change: Change<Body>,
  ): Body {
    requireMatch(ifMatch, current.version);
    const stamp = { caller, time: this.#now() };
    return {
      ...change(current, stamp),
      version: current.version + 1,
      lastModifiedTime: stamp.time,
      lastModifierID: caller.id,
      lastModifierName: ACTOR_NAME,
      lastModifierEmail: null,
    };
  }

  /** Reads the stored state and stores what `make` returns, in one transaction. */
  async #write<Body extends EntityBody>(
    type: EntityType<Body>,
    id: string,
    make: (stored: Body | undefined) => Body,
    { dryRun = false, unreferenced = false }: ChangeOptions<Body>,
  ): Promise<Answer> {
    const key = { kind: type.kind, id };
    let answer: Answer = { content: {} };
    const change = (record: EntityRecord | undefined) => {
      const body = make(record && bodyOf<Body>(record));
      answer = entityAnswer(body);
      return recordOf(type, body);
    };
    const outcome = await this.#entities.write(key, change, { rehearse: dryRun, unreferenced });
    switch (outcome) {
      case "written":
        return answer;
      case "name_taken":
        throw taken("name");
      case "referenced":
        throw await this.#referencedError(type, id);
    }
  }

  async #get<Body extends EntityBody>({ kind, title }: EntityType<Body>, id: string) {
    const record = await this.#entities.get({ kind, id });
    if (record === undefined) throw notFound(title);
    return bodyOf<Body>(record);
  }

  async #referencedError<Body extends EntityBody>({ kind, title }: EntityType<Body>, id: string) {
    const slice = { start: 0, count: 3 };
    const { items, totalItems } = await this.#entities.referrers({ kind, id }, slice);
    const names = items.map(({ kind, id }) => `${kind.replace("_", " ")} ${id}`).join(", ");
    const more = totalItems > items.length ? ` and ${totalItems - items.length} more` : "";
    return new ServiceError({
      status: 400,
      message: `${title} is referenced by ${names}${more}: remove the references, or archive it with forceArchive.`,
    });
  }
}

/** The store returns what these operations stored. */
function bodyOf<Body extends EntityBody>({ body }: EntityRecord): Body {
  return body as unknown as Body;
}

function recordOf<Body extends EntityBody>(type: EntityType<Body>, body: Body): EntityRecord {
  return {
    kind: type.kind,
    id: type.idOf(body),
    name: body.name,
    version: body.version,
    createdTime: body.createdTime,
    body: body as unknown as JsonObject,
    references: type.referencesOf(body),
  };
}

function entityAnswer(body: EntityBody): Answer {
  return { content: { data: body }, version: body.version };
}

function isSameState(left: EntityBody, right: EntityBody): boolean {
  return left.version === right.version && left.createdTime === right.createdTime;
}

/** `version` is undefined if there is no entity. */
function requireMatch(ifMatch: IfMatch, version: number | undefined): void {
  if (ifMatch === undefined) return;
  if (version !== undefined && (ifMatch === "*" || ifMatch.includes(String(version)))) return;
  const names = ifMatch === "*" ? "any version" : ifMatch.join(", ");
  const is = version === undefined ? "there is no entity" : `the version is ${version}`;
  throw new ServiceError({
    status: 412,
    message: `If-Match names ${names}, but ${is}: read it again.`,
  });
}

function collision(title: string): ServiceError {
  return new ServiceError({
    status: 409,
    message: `Other writers keep changing ${title}: read it and try again.`,
  });
}
