import type { EntityKind } from "../contract/common.js";
import { faultsOf } from "../contract/faults.js";
import type { AnyObject } from "../contract/fields.js";
import { allows, areaOf } from "../contract/key-scopes.js";
import { routes } from "../contract/routes.js";
import type { ScheduledChange, scheduledChangeRoutes } from "../contract/scheduled-change.js";
import type { AnyHandlers, HandlerAnswer, HandlerCall, Handlers } from "../http/handler.js";
import { invalid, refuseFaults, ServiceError } from "../http/service-error.js";
import type { KeyRecord, KeyStore } from "../storage/key-store.js";
import type { AuditFilter, EntityStore } from "../storage/store.js";
import type { EntityOperations } from "./entity-operations.js";
import type { EntityBody, EntityType } from "./entity-type.js";
import { type NewIdentifier, newProvenance } from "./new-entity.js";

type ScheduledBody = EntityBody & ScheduledChange;

/** The operation that makes a change of each kind of entity. */
const operationNames = {
  gate: "patchGate",
  dynamic_config: "patchDynamicConfig",
  experiment: "patchExperiment",
  segment: "patchSegment",
} as const satisfies Record<ScheduledChange["entityType"], keyof typeof routes>;

const type: EntityType<ScheduledBody> = {
  kind: "scheduled_change",
  title: "Scheduled change",
  idOf: ({ id }) => id,
  referencesOf: () => [],
};

interface ScheduledChangesOptions {
  readonly entities: Pick<EntityStore, "latestChange" | "list" | "versions" | "auditLog">;
  readonly keys: Pick<KeyStore, "list">;
  readonly operations: EntityOperations;
  readonly newIdentifier: NewIdentifier;
  /** Handlers of the console API: a scheduled change is a call of one of them. */
  readonly handlers: AnyHandlers;
  /** Returns ms since the epoch. */
  now(): number;
  /** Gets errors of the store; the change is tried again. */
  onFailed(error: unknown, changeID: string | undefined): void;
}

/**
 * Changes of entities at a time, also those whose time passed while the service was stopped. The writer is
 * the key that scheduled the change, which must still be valid then.
 */
export class ScheduledChanges {
  /** The newest write of the store when `#pending` was read. */
  #sequence = -1;
  #pending: readonly ScheduledBody[] = [];

  constructor(private readonly options: ScheduledChangesOptions) {}

  get handlers(): Handlers<typeof scheduledChangeRoutes> {
    const { operations, newIdentifier, now } = this.options;
    return {
      createScheduledChange: async (call) => {
        const { id = newIdentifier(), scheduledTime: given, description = "", ...body } = call.body;
        const scheduledTime = Number(given);
        if (scheduledTime <= now()) {
          const errorMessage = "Must be in the future: make the change instead";
          throw invalid([{ property: "scheduledTime", errorMessage }]);
        }
        const refusal = scopeRefusal(call.caller, body);
        if (refusal !== undefined) throw new ServiceError({ status: 403, message: refusal });
        // A change that would be refused now is refused now.
        const { content } = await this.#patch(body, call, true);
        const created = await operations.create(
          type,
          { ...call, body: { name: id, id } },
          (stamp) => ({
            id,
            name: id,
            description,
            ...body,
            scheduledTime,
            status: "pending" as const,
            error: null,
            ...newProvenance(stamp),
          }),
        );
        const { warnings } = content;
        return warnings === undefined
          ? created
          : { ...created, content: { ...created.content, warnings } };
      },
      listScheduledChanges: (call) => operations.list(type, call),
      readScheduledChange: ({ params: { id } }) => operations.read(type, id),
      deleteScheduledChange: (call) => operations.remove(type, call.params.id, call),
    };
  }

  /** Makes the changes that are due, in the order of their times. */
  async check(): Promise<void> {
    await this.#readChanged();
    const time = this.options.now();
    const due = this.#pending.filter(({ scheduledTime }) => scheduledTime <= time);
    for (const change of due.toSorted((one, other) => one.scheduledTime - other.scheduledTime)) {
      await this.#make(change).catch((error: unknown) => this.options.onFailed(error, change.id));
    }
  }

  async #readChanged(): Promise<void> {
    const { entities } = this.options;
    const { sequence } = entities.latestChange();
    if (sequence === this.#sequence) return;
    const filter = { archived: false, values: { status: ["pending"] }, search: "" };
    const found: ScheduledBody[] = [];
    for (let isDone = false; !isDone; ) {
      const slice = { start: found.length, count: 200 };
      const { items, totalItems } = await entities.list(type.kind, slice, filter);
      found.push(...items.map(({ bodyText }) => JSON.parse(bodyText) as ScheduledBody));
      isDone = items.length === 0 || found.length >= totalItems;
    }
    this.#pending = found;
    this.#sequence = sequence;
  }

  async #make(change: ScheduledBody): Promise<void> {
    const { keys, operations } = this.options;
    const { id, version, creatorID } = change;
    // Keys are revoked, but never removed.
    const caller = (await keys.list()).find((key) => key.id === creatorID);
    // It may have been cancelled while earlier ones were made.
    if (caller === undefined || !(await this.#isPending(change))) return;
    const facts = { caller, requestID: `scheduled_change/${id}` };
    const error = (await this.#isMade(change, facts)) ? null : await this.#failureOf(change, facts);
    const status = error === null ? ("applied" as const) : ("failed" as const);
    const ifMatch = [String(version)];
    await operations.change(type, id, { ...facts, ifMatch }, (current) => ({
      ...current,
      status,
      error,
    }));
  }

  async #isPending({ id, version }: ScheduledBody): Promise<boolean> {
    const { items } = await this.options.entities.versions(
      { kind: type.kind, id },
      { start: 0, count: 1 },
    );
    return items[0]?.["version"] === version;
  }

  /**
   * Returns true for a change that a crash has cut off from its end: the audit log has it. An earlier change
   * with the same id, which was removed, has its writes before this one was created.
   */
  async #isMade({ id, entityID, entityType }: ScheduledBody, { caller, requestID }: Facts) {
    const authors = [caller.id];
    const made = { kinds: [entityType], id: entityID, requestID, authors };
    return (await this.#creation(type.kind, id)) < (await this.#newestWrite(made));
  }

  /** Returns the number of the write that created an entity. */
  #creation(kind: EntityKind, id: string): Promise<number> {
    return this.#newestWrite({ kinds: [kind], id, actions: ["create"] });
  }

  async #newestWrite(filter: AuditFilter): Promise<number> {
    const { items } = await this.options.entities.auditLog(filter, { start: 0, count: 1 });
    return items[0]?.sequence ?? 0;
  }

  /** Makes the change. Returns the reason why it was refused; null if it was made. */
  async #failureOf(change: ScheduledBody, facts: Facts): Promise<string | null> {
    const { caller } = facts;
    const time = this.options.now();
    if (caller.revokedTime !== null) return `The key ${caller.id} was revoked.`;
    if (caller.expiresTime !== null && caller.expiresTime <= time)
      return `The key ${caller.id} expired.`;
    const refusal = scopeRefusal(caller, change);
    if (refusal !== undefined) return refusal;
    const { id, entityType, entityID } = change;
    if ((await this.#creation(type.kind, id)) < (await this.#creation(entityType, entityID))) {
      return `The ${entityType.replace("_", " ")} ${entityID} was removed, and created again later.`;
    }
    try {
      await this.#patch(change, facts, false);
      return null;
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const { message, errors } = error.body;
      return [message, ...errors.map((one) => `${one.property}: ${one.errorMessage}`)].join("; ");
    }
  }

  async #patch(
    { entityType, entityID, change }: Pick<ScheduledChange, "entityType" | "entityID" | "change">,
    facts: Facts,
    dryRun: boolean,
  ): Promise<HandlerAnswer> {
    const name = operationNames[entityType];
    const parsed = routes[name].body.safeParse(change, { reportInput: true });
    if (!parsed.success) {
      const faults = faultsOf(parsed.error);
      refuseFaults(faults.map((one) => ({ ...one, property: `change.${one.property}` })));
    }
    const call = {
      ...facts,
      ifMatch: undefined,
      params: { id: entityID },
      query: { dryRun },
      body: parsed.data as AnyObject,
    };
    // Handlers of writes read no more of a request than these facts.
    return (await this.options.handlers[name]?.(
      call as unknown as HandlerCall<never>,
    )) as HandlerAnswer;
  }
}

interface Facts {
  readonly caller: KeyRecord;
  readonly requestID: string;
}

function scopeRefusal(
  { scopes }: KeyRecord,
  { entityType }: Pick<ScheduledChange, "entityType">,
): string | undefined {
  const area = areaOf(routes[operationNames[entityType]].path);
  if (allows(scopes, area, "write")) return undefined;
  return `The change needs a key with the scope ${area}:write.`;
}
