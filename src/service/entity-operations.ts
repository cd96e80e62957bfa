import type { EntityKind } from "../contract/entity-kind.js";
import type { JsonObject } from "../contract/fields.js";
import type { KeyRecord } from "../storage/key-store.js";
import type { EntityKey, EntityRecord, ReplaceOutcome, Store } from "../storage/store.js";
import type { Answer, CallFacts, IfMatch } from "./handler.js";
import { KeyedLock } from "./keyed-lock.js";
import { type ListCall, pageAnswer, readPage } from "./pagination.js";
import { notFound, ServiceError, taken } from "./service-error.js";
import { WritesUnderWay } from "./writes-under-way.js";

/** Name that the service gives to those who write through its API. */
export const ACTOR_NAME = "CONSOLE API";

/** Times that a change is made anew on what another process wrote meanwhile. */
const CHANGE_ATTEMPTS_MAX = 8;

/** What every entity shows, whatever its kind. */
export interface EntityBody {
  readonly name: string;
  readonly version: number;
  readonly createdTime: number;
  readonly lastModifiedTime: number;
  readonly lastModifierID: string | null;
  readonly lastModifierName: string | null;
  readonly lastModifierEmail: string | null;
}

/** What the operations have to know of a kind of entity. */
export interface EntityType<Body extends EntityBody> {
  readonly kind: EntityKind;
  /** In messages: `Gate not found.` */
  readonly title: string;
  idOf(body: Body): string;
  /** What the entity points at. */
  referencesOf(body: Body): readonly EntityKey[];
}

/** Who writes, and when. */
export interface Stamp {
  readonly caller: KeyRecord;
  /** ms since the epoch. */
  readonly time: number;
}

export interface OperationOptions {
  /** Answers as the real call would, and keeps nothing. */
  readonly dryRun?: boolean;
}

export interface ChangeOptions extends OperationOptions {
  /** Refused while another entity points at this one. */
  readonly unreferenced?: boolean;
}

type WriteFacts = Pick<CallFacts, "caller" | "ifMatch">;

/** A call that makes an entity; one without an id gets one that is made from its name. */
interface CreateCall extends Pick<CallFacts, "caller"> {
  readonly body: { readonly name: string; readonly id?: string };
}

type Create<Body> = (stamp: Stamp) => Body | Promise<Body>;
type Change<Body> = (current: Body, stamp: Stamp) => Body | Promise<Body>;

/** A write that is under way; its answer is undefined where it has to be tried again. */
interface Attempt {
  readonly answer: Promise<Answer | undefined>;
}

/** What one does with entities, alike for every kind. Throws `ServiceError`. */
export class EntityOperations {
  readonly #store: Pick<Store, "entities" | "history">;
  readonly #now: () => number;
  readonly #lock = new KeyedLock();
  readonly #underWay = new WritesUnderWay<EntityBody>();

  /** `now` gives ms since the epoch. */
  constructor(store: Pick<Store, "entities" | "history">, now: () => number) {
    this.#store = store;
    this.#now = now;
  }

  /** Keeps what `build` makes as version 1. */
  async create<Body extends EntityBody>(
    type: EntityType<Body>,
    call: CreateCall,
    build: Create<Body>,
    options: OperationOptions = {},
  ): Promise<Answer> {
    const body = await build({ caller: call.caller, time: this.#now() });
    const answer = await this.#insert(type, body, options);
    if (answer === undefined) throw taken(call.body.id === undefined ? "name" : "id");
    return answer;
  }

  /** Keeps what `build` makes of another entity as version 1 of a new one; the other one stays. */
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
    const page = await readPage(call, (slice) => this.#store.entities.list(type.kind, slice));
    return pageAnswer(call, { ...page, items: page.items.map(({ body }) => body) });
  }

  async versions<Body extends EntityBody>(
    type: EntityType<Body>,
    id: string,
    call: ListCall,
  ): Promise<Answer> {
    await this.#get(type, id);
    const key = { kind: type.kind, id };
    const page = await readPage(call, (slice) => this.#store.history.versions(key, slice));
    return pageAnswer(call, page);
  }

  /** Entities that point at this one, as `show` puts them. */
  async referrers<Body extends EntityBody>(
    type: EntityType<Body>,
    id: string,
    call: ListCall,
    show: (record: EntityRecord) => JsonObject,
  ): Promise<Answer> {
    await this.#get(type, id);
    const key = { kind: type.kind, id };
    const page = await readPage(call, (slice) => this.#store.history.referrers(key, slice));
    return pageAnswer(call, { ...page, items: page.items.map(show) });
  }

  /**
   * Keeps what `change` makes of the present state as its next version. Changes of one entity are made
   * one after the other; one whose ground was lost (another process got ahead, or the write before it
   * failed) is made anew on what is stored: `change` may run several times.
   */
  change<Body extends EntityBody>(
    type: EntityType<Body>,
    id: string,
    facts: WriteFacts,
    change: Change<Body>,
    options: ChangeOptions = {},
  ): Promise<Answer> {
    return this.#attempt(type, id, async () => {
      const current = await this.#current(type, id);
      if (current === undefined) throw notFound(type.title);
      return this.#replace(type, id, current, facts, change, options);
    });
  }

  /** Like `change`, and like `create` where there is no such entity; `If-Match` asks for one. */
  upsert<Body extends EntityBody>(
    type: EntityType<Body>,
    id: string,
    facts: WriteFacts,
    { create, change }: { readonly create: Create<Body>; readonly change: Change<Body> },
    options: OperationOptions = {},
  ): Promise<Answer> {
    return this.#attempt(type, id, async () => {
      const current = await this.#current(type, id);
      if (current !== undefined) return this.#replace(type, id, current, facts, change, options);
      requireMatch(facts.ifMatch, undefined);
      const body = await create({ caller: facts.caller, time: this.#now() });
      return { answer: this.#insert(type, body, options) };
    });
  }

  remove<Body extends EntityBody>(
    type: EntityType<Body>,
    id: string,
    { ifMatch }: Pick<CallFacts, "ifMatch">,
  ): Promise<Answer> {
    return this.#attempt(type, id, async () => {
      const current = await this.#current(type, id);
      if (current === undefined) throw notFound(type.title);
      const { version } = current;
      requireMatch(ifMatch, version);
      const removed = this.#store.entities.remove({ kind: type.kind, id }, { version });
      return { answer: removed.then((done) => (done ? { content: {} } : undefined)) };
    });
  }

  /**
   * Begins one attempt at a time for each entity, and the next one as soon as the write of the one
   * before is under way: they may share a commit. One that lost its ground goes on alone.
   */
  async #attempt<Body extends EntityBody>(
    type: EntityType<Body>,
    id: string,
    begin: () => Promise<Attempt>,
  ): Promise<Answer> {
    const name = nameOf(type, id);
    const first = await this.#lock.run(name, begin);
    const answer = await first.answer;
    if (answer !== undefined) return answer;
    return this.#lock.run(name, async () => {
      for (let count = 1; count < CHANGE_ATTEMPTS_MAX; count += 1) {
        const next = await begin();
        const answer = await next.answer;
        if (answer !== undefined) return answer;
      }
      throw collision(type.title);
    });
  }

  /** undefined where the id is taken. */
  async #insert<Body extends EntityBody>(
    type: EntityType<Body>,
    body: Body,
    { dryRun = false }: OperationOptions,
  ): Promise<Answer | undefined> {
    const outcome = await this.#store.entities.insert(recordOf(type, body), { rehearse: dryRun });
    switch (outcome) {
      case "inserted":
        return entityAnswer(body);
      case "id_taken":
        return undefined;
      case "name_taken":
        throw taken("name");
    }
  }

  async #replace<Body extends EntityBody>(
    type: EntityType<Body>,
    id: string,
    current: Body,
    { caller, ifMatch }: WriteFacts,
    change: Change<Body>,
    { dryRun = false, unreferenced = false }: ChangeOptions,
  ): Promise<Attempt> {
    const { version } = current;
    requireMatch(ifMatch, version);
    const stamp = { caller, time: this.#now() };
    const next = stamped(await change(current, stamp), version + 1, stamp);
    const condition = { version, rehearse: dryRun, unreferenced };
    const outcome = this.#store.entities.replace(recordOf(type, next), condition);
    if (!dryRun) this.#underWay.add(nameOf(type, id), next, outcome);
    return { answer: this.#answerOf(outcome, type, next) };
  }

  /** undefined where the ground of the change was lost. */
  async #answerOf<Body extends EntityBody>(
    outcome: Promise<ReplaceOutcome>,
    type: EntityType<Body>,
    next: Body,
  ): Promise<Answer | undefined> {
    switch (await outcome) {
      case "replaced":
        return entityAnswer(next);
      case "stale":
        return undefined;
      case "name_taken":
        throw taken("name");
      case "referenced":
        throw await this.#referencedError(type, type.idOf(next));
    }
  }

  /** What the next write comes upon: what the last one is about to store, or what is stored. */
  async #current<Body extends EntityBody>(type: EntityType<Body>, id: string) {
    const underWay = this.#underWay.get(nameOf(type, id)) as Body | undefined;
    return underWay ?? (await this.#find(type, id));
  }

  async #find<Body extends EntityBody>({ kind }: EntityType<Body>, id: string) {
    const record = await this.#store.entities.get({ kind, id });
    // What the store gives back is what one of these operations put there.
    return record?.body as unknown as Body | undefined;
  }

  async #get<Body extends EntityBody>(type: EntityType<Body>, id: string): Promise<Body> {
    const body = await this.#find(type, id);
    if (body === undefined) throw notFound(type.title);
    return body;
  }

  async #referencedError<Body extends EntityBody>(type: EntityType<Body>, id: string) {
    const key = { kind: type.kind, id };
    const { items, totalItems } = await this.#store.history.referrers(key, { start: 0, count: 3 });
    const names = items.map(({ kind, id }) => `${kind.replace("_", " ")} ${id}`).join(", ");
    const more = totalItems > items.length ? ` and ${totalItems - items.length} more` : "";
    return new ServiceError({
      status: 400,
      message: `${type.title} is referenced by ${names}${more}: remove the references, or archive it with forceArchive.`,
    });
  }
}

/** Names an entity among those of all kinds. */
function nameOf<Body extends EntityBody>({ kind }: EntityType<Body>, id: string): string {
  return `${kind}/${id}`;
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

function stamped<Body extends EntityBody>(body: Body, version: number, stamp: Stamp): Body {
  return {
    ...body,
    version,
    lastModifiedTime: stamp.time,
    lastModifierID: stamp.caller.id,
    lastModifierName: ACTOR_NAME,
    lastModifierEmail: null,
  };
}

function entityAnswer(body: EntityBody): Answer {
  return { content: { data: body }, version: body.version };
}

/** `version` is undefined where there is nothing that could match. */
function requireMatch(ifMatch: IfMatch, version: number | undefined): void {
  if (ifMatch === undefined) return;
  if (version !== undefined && (ifMatch === "*" || ifMatch.includes(String(version)))) return;
  const names = ifMatch === "*" ? "any version" : ifMatch.join(", ");
  const is = version === undefined ? "there is none" : `the version is ${version}`;
  throw new ServiceError({
    status: 412,
    message: `If-Match names ${names}, but ${is}: read it again.`,
  });
}

function collision(title: string): ServiceError {
  return new ServiceError({
    status: 409,
    message: `${title} is being changed by another writer: read it and try again.`,
  });
}
