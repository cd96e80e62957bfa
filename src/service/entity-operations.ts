import { type EntityKind, toldWarnings, type Warning } from "../contract/common.js";
import type { AnyObject } from "../contract/fields.js";
import { listFilterOf } from "../contract/list-query.js";
import { cycleFaults } from "../evaluation/cycles.js";
import { surroundingsIn } from "../evaluation/surroundings.js";
import { FinishedJson, type HandlerAnswer } from "../http/handler.js";
import { requireMatch } from "../http/request-headers.js";
import { notFound, refuseFaults, ServiceError, taken } from "../http/service-error.js";
import type { EntityRecord, EntityStore, ListChange } from "../storage/store.js";
import type { DocumentType, EntityBody, EntityType, PartType, Stamp } from "./entity-type.js";
import { newProvenance } from "./new-entity.js";
import { type ListCall, pageAnswer, sliceOf } from "./pagination.js";
import { type WriteFacts, writeOptionsOf } from "./write-facts.js";

/** Attempts of a checked change, each repeated because another write came between check and write. */
const CHECKED_CHANGES_MAX = 100;

/** Thrown by writes that only look at the store, or that another write did not allow. */
const unwritten = new Error("nothing is written");

/** Thrown when another write has replaced the state that a change was checked on. */
const outdated = new Error("the checked state was replaced");

export interface OperationOptions<Body> {
  /**
   * Throws if the next state must not be stored. It may take time, because it runs before the
   * transaction.
   */
  readonly check?: (next: Body, current?: Body) => Promise<void>;
}

interface ChangeOptions<Body> extends OperationOptions<Body> {
  readonly list?: ListChange;
  /** Refuses the change while another entity points at this one. */
  readonly unreferenced?: boolean;
}

/** A call that creates an entity. The id is derived from the name by default. */
interface CreateCall extends Omit<WriteFacts, "ifMatch"> {
  readonly body: { readonly name: string; readonly id?: string };
}

type Create<Body> = (stamp: Stamp) => Body;
/** `listChange` is the number of ids that the write adds to the entity's list. */
type EntityChange<Body> = (current: Body, stamp: Stamp, listChange: number) => Body;

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
  ): Promise<HandlerAnswer> {
    const body = build({ caller: call.caller, time: this.#now() });
    await options.check?.(body);
    const makeFirst = (stored: Body | undefined) => {
      if (stored !== undefined) throw taken(call.body.id === undefined ? "name" : "id");
      return body;
    };
    return this.#write(type, type.idOf(body), call, makeFirst);
  }

  /** Stores what `build` makes of another entity as version 1 of a new one. The other one is unchanged. */
  async copy<Body extends EntityBody>(
    type: EntityType<Body>,
    id: string,
    call: CreateCall & WriteFacts,
    build: (original: Body, stamp: Stamp) => Body,
  ): Promise<HandlerAnswer> {
    const original = await this.get(type, id);
    requireMatch(call.ifMatch, original.version);
    return this.create(type, call, (stamp) => build(original, stamp));
  }

  async read<Body extends EntityBody>(type: EntityType<Body>, id: string): Promise<HandlerAnswer> {
    return entityAnswer(await this.get(type, id));
  }

  async list<Body extends EntityBody>(
    type: EntityType<Body>,
    call: ListCall,
  ): Promise<HandlerAnswer> {
    const filter = listFilterOf(call.query);
    // Read first: a list that has a later write is read once more.
    const { sequence } = this.#entities.latestChange();
    const page = await this.#entities.list(type.kind, sliceOf(call.query), filter);
    const texts = page.items.map(({ bodyText }) => bodyText);
    const answer = pageAnswer(call, page, new FinishedJson(`[${texts.join(",")}]`));
    return { ...answer, newestWrite: sequence };
  }

  async versions<Body extends EntityBody>(
    type: EntityType<Body>,
    id: string,
    call: ListCall,
  ): Promise<HandlerAnswer> {
    await this.get(type, id);
    const key = { kind: type.kind, id };
    return pageAnswer(call, await this.#entities.versions(key, sliceOf(call.query)));
  }

  /** Lists the entities of any kind or of one that point at this one, each as `show` returns it. */
  async referrers<Body extends EntityBody>(
    type: EntityType<Body>,
    id: string,
    call: ListCall,
    show: (record: EntityRecord) => AnyObject,
    kind?: EntityKind,
  ): Promise<HandlerAnswer> {
    await this.get(type, id);
    const key = { kind: type.kind, id };
    const page = await this.#entities.referrers(key, sliceOf(call.query), kind);
    return pageAnswer(call, { ...page, items: page.items.map(show) });
  }

  /** Returns the body of one version. Throws 404. */
  async version<Body extends EntityBody>(
    type: EntityType<Body>,
    id: string,
    version: number,
  ): Promise<Body> {
    const { version: newest } = await this.get(type, id);
    if (version > newest) throw notFound(`Version ${version} of ${type.title}`);
    const slice = { start: newest - version, count: 1 };
    const { items } = await this.#entities.versions({ kind: type.kind, id }, slice);
    const body = items[0] as Body | undefined;
    if (body?.version !== version) throw notFound(`Version ${version} of ${type.title}`);
    return body;
  }

  /** Lists the ids of an entity. `countOf` returns their number. */
  async listedIDs<Body extends EntityBody>(
    type: EntityType<Body>,
    id: string,
    call: ListCall,
    countOf: (body: Body) => number,
  ): Promise<HandlerAnswer> {
    const totalItems = countOf(await this.get(type, id));
    const items = await this.#entities.listedIDs({ kind: type.kind, id }, sliceOf(call.query));
    return pageAnswer(call, { items, totalItems });
  }

  /** Changes an entity: stores what `change` returns as its next version. */
  async change<Body extends EntityBody>(
    type: EntityType<Body>,
    id: string,
    facts: WriteFacts,
    change: EntityChange<Body>,
    { check, ...options }: ChangeOptions<Body> = {},
  ): Promise<HandlerAnswer> {
    const makeNext = (stored: Body | undefined, listChange = 0) => {
      if (stored === undefined) throw notFound(type.title);
      return this.#next(stored, facts, change, listChange);
    };
    if (check === undefined) return this.#write(type, id, facts, makeNext, options);
    for (let count = 0; count < CHECKED_CHANGES_MAX; count += 1) {
      const current = await this.get(type, id);
      const next = makeNext(current);
      await check(next, current);
      const makeChecked = (stored: Body | undefined) => {
        if (stored === undefined) throw notFound(type.title);
        if (!isSameState(stored, current)) throw outdated;
        return next;
      };
      try {
        return await this.#write(type, id, facts, makeChecked, options);
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
    { create, change }: { readonly create: Create<Body>; readonly change: EntityChange<Body> },
  ): Promise<HandlerAnswer> {
    const makeNext = (stored: Body | undefined) => {
      if (stored !== undefined) return this.#next(stored, facts, change);
      requireMatch(facts.ifMatch, undefined);
      return create({ caller: facts.caller, time: this.#now() });
    };
    return this.#write(type, id, facts, makeNext);
  }

  /** Changes a document, from version 0 on. `check` may refuse, before anything else. */
  async changeDocument<Body extends EntityBody>(
    type: DocumentType<Body>,
    id: string,
    facts: WriteFacts,
    change: (current: Body) => Body,
    check?: () => void,
  ): Promise<HandlerAnswer> {
    return this.#write(type, id, facts, (stored) => {
      check?.();
      if (stored !== undefined) return this.#next(stored, facts, change);
      const provenance = newProvenance({ caller: facts.caller, time: this.#now() });
      const own = structuredClone(type.initial);
      const current = { id, name: id, ...own, ...provenance, version: 0 } as Body;
      return this.#next(current, facts, change);
    });
  }

  /** Reads a document; its `initial` fields before its first write. */
  async readDocument<Body extends EntityBody>(
    { kind, initial }: DocumentType<Body>,
    id: string,
  ): Promise<HandlerAnswer> {
    const record = await this.#entities.get({ kind, id });
    if (record !== undefined) return entityAnswer(bodyOf<Body>(record));
    return { content: { data: { id, name: id, ...initial, version: 0 } }, version: 0 };
  }

  /** Changes a part. Throws 404 without its owner. */
  async changePart<Body extends EntityBody, Owner extends EntityBody>(
    type: PartType<Body, Owner>,
    id: string,
    facts: WriteFacts,
    change: (current: Body, owner: Owner) => Body,
  ): Promise<HandlerAnswer> {
    // Writes of one turn share a transaction: the owner is still there when the part is written.
    let owner: EntityRecord | undefined;
    const look = (record: EntityRecord | undefined) => {
      owner = record;
      throw unwritten;
    };
    const requireOwner = () => {
      if (owner === undefined) throw notFound(type.ownerType.title);
    };
    const changeOwned = (current: Body) => change(current, bodyOf<Owner>(owner as EntityRecord));
    const [, answer] = await Promise.all([
      this.#entities.write({ kind: type.ownerType.kind, id }, look).catch(ignoreUnwritten),
      this.changeDocument(type, id, facts, changeOwned, requireOwner),
    ]);
    return answer;
  }

  /** Reads a part; its `initial` fields before its first write. Throws 404 without its owner. */
  async readPart<Body extends EntityBody, Owner extends EntityBody>(
    type: PartType<Body, Owner>,
    id: string,
  ): Promise<HandlerAnswer> {
    await this.get(type.ownerType, id);
    return this.readDocument(type, id);
  }

  /** Removes an entity and its parts. */
  async remove<Body extends EntityBody>(
    { kind, title, parts = [] }: EntityType<Body>,
    id: string,
    call: WriteFacts,
  ): Promise<HandlerAnswer> {
    let isAllowed = false;
    const change = (stored: EntityRecord | undefined) => {
      if (stored === undefined) throw notFound(title);
      requireMatch(call.ifMatch, stored.version);
      isAllowed = true;
      return undefined;
    };
    const changePart = () => {
      if (!isAllowed) throw unwritten;
      return undefined;
    };
    const write = (kind: EntityKind, make: typeof change) =>
      this.#entities.write({ kind, id }, make, writeOptionsOf(call));
    const removed = write(kind, change);
    const partsRemoved = parts.map((part) => write(part, changePart).catch(ignoreUnwritten));
    await Promise.all([removed, ...partsRemoved]);
    return { content: {} };
  }

  #next<Body extends EntityBody>(
    current: Body,
    { caller, ifMatch }: WriteFacts,
    change: EntityChange<Body>,
    listChange = 0,
  ): Body {
    requireMatch(ifMatch, current.version);
    const stamp = { caller, time: this.#now() };
    const { archiveReason: _, unarchiveReason: __, ...lasting } = current;
    return {
      ...change(lasting as Body, stamp, listChange),
      version: current.version + 1,
      lastModifiedTime: stamp.time,
      lastModifierID: caller.id,
      lastModifierName: caller.name,
      lastModifierEmail: null,
    };
  }

  /** Reads the stored state and stores what `make` returns, in one transaction. */
  async #write<Body extends EntityBody>(
    type: EntityType<Body>,
    id: string,
    call: Omit<WriteFacts, "ifMatch">,
    make: (stored: Body | undefined, listChange: number) => Body,
    options: Omit<ChangeOptions<Body>, "check"> = {},
  ): Promise<HandlerAnswer> {
    const key = { kind: type.kind, id };
    let answer: HandlerAnswer = { content: {} };
    const change = (record: EntityRecord | undefined, listChange: number) => {
      const before = record && bodyOf<Body>(record);
      const made = make(before, listChange);
      const body = type.completed?.(made, before, this.#entities) ?? made;
      refuseFaults(cycleFaults({ ...key, body }, before, this.#entities));
      const warnings = type.warningsOf?.(body, surroundingsIn(this.#entities), before) ?? [];
      answer = entityAnswer(body, warnings);
      return recordOf(type, body);
    };
    const outcome = await this.#entities.write(key, change, {
      ...writeOptionsOf(call),
      ...options,
    });
    switch (outcome) {
      case "written":
        return answer;
      case "name_taken":
        throw taken("name");
      case "referenced":
        throw await this.#referencedError(type, id);
    }
  }

  /** Returns the body of an entity. Throws 404. */
  async get<Body extends EntityBody>({ kind, title }: EntityType<Body>, id: string) {
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
    body: body as unknown as AnyObject,
    references: type.referencesOf(body),
  };
}

function ignoreUnwritten(error: unknown): undefined {
  if (error !== unwritten) throw error;
}

function entityAnswer(body: EntityBody, warnings: readonly Warning[] = []): HandlerAnswer {
  const warned = warnings.length === 0 ? {} : { warnings: toldWarnings(warnings) };
  return { content: { data: body, ...warned }, version: body.version };
}

function isSameState(left: EntityBody, right: EntityBody): boolean {
  return left.version === right.version && left.createdTime === right.createdTime;
}

function collision(title: string): ServiceError {
  return new ServiceError({
    status: 409,
    message: `Other writers keep changing ${title}: read it and try again.`,
  });
}
