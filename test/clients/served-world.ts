import { expect } from "vitest";
import type { EntityKind } from "../../src/contract/common.js";
import type { AnyObject } from "../../src/contract/fields.js";
import type { EntityRecord, Store } from "../../src/storage/store.js";
import { type Loose, Oracle, type World } from "../evaluation/oracle.js";
import { randomUser } from "../evaluation/random-world.js";
import { statesOf } from "../evaluation/world-catalogue.js";
import { startTestService, type TestService } from "../support/service.js";

/** A service that listens, with the entities of a world. */
interface ServedWorld {
  readonly service: TestService;
  /** `http://127.0.0.1:…` */
  readonly base: string;
}

export async function serveWorld(
  world: World,
  origins: readonly string[] = [],
): Promise<ServedWorld> {
  const service = await startTestService({ now: Date.now, origins });
  await storeWorld(service.store, world);
  const base = await service.app.http.listen({ host: "127.0.0.1", port: 0 });
  return { service, base };
}

/** Stores the entities as they are, as the next versions of what is there: the API has its own tests. */
export async function storeWorld(store: Pick<Store, "entities">, world: World): Promise<void> {
  for (const { kind, id, body } of statesOf(world)) {
    const key = { kind: kind as EntityKind, id };
    const next = (current: EntityRecord | undefined): EntityRecord => ({
      ...key,
      name: id,
      version: (current?.version ?? 0) + 1,
      createdTime: 1,
      body: { name: id, ...body },
      references: [],
    });
    await store.entities.write(key, next);
    const listed = world.lists[id];
    if (kind !== "segment" || listed === undefined) continue;
    const before = await store.entities.listedIDs(key, { start: 0, count: 1_000_000 });
    const removed = before.filter((one) => !listed.includes(one));
    await store.entities.write(key, next, { list: { how: "remove", ids: removed } });
    await store.entities.write(key, next, { list: { how: "add", ids: listed } });
  }
}

/** Returns a world in which something of each kind has changed. */
export function changedWorld({ gates, configs, experiments, lists, ...rest }: World): World {
  const [, ...left] = lists["listed"] ?? [];
  return {
    ...rest,
    gates: changedEach(gates, ({ status }) => ({
      status: status === "Launched" ? "In Progress" : "Launched",
    })),
    configs: changedEach(configs, ({ isEnabled }) => ({ isEnabled: !isEnabled })),
    experiments: changedEach(experiments, ({ status }) => ({
      status: status === "active" ? "decision_made" : "active",
    })),
    lists: { listed: [...left, "nobody"] },
  };
}

function changedEach(entities: World["gates"], change: (entity: Loose) => Loose): World["gates"] {
  const changed = Object.entries(entities).map(([id, entity]) => [
    id,
    { ...entity, ...change(entity) },
  ]);
  return Object.fromEntries(changed);
}

export type EntityPart = "gate" | "config" | "layer";

export interface Answer {
  readonly value: unknown;
  readonly ruleID: string;
}

/** Asks an SDK for the answer of an entity for a user. */
export type AskSdk = (part: EntityPart, user: AnyObject, id: string) => Answer | Promise<Answer>;

/**
 * Returns users with an id, without which SDKs refuse them. Official SDKs differ about `true` and the empty
 * text as numbers: no user has them.
 */
export function usersOf(seed: number, count: number): AnyObject[] {
  return Array.from({ length: count }, (_, at) => {
    const user = randomUser(seed * 1_000 + at);
    const { custom } = user;
    const isOdd = custom?.age === true || custom?.age === "";
    return {
      ...user,
      userID: user["userID"] ?? "nobody",
      ...(isOdd && { custom: { ...custom, age: 40 } }),
    };
  });
}

/** Expects that every answer is the oracle's, and returns their number. */
export async function expectOracle(
  world: World,
  users: readonly AnyObject[],
  ask: AskSdk,
  parts: readonly EntityPart[] = ["gate", "config", "layer"],
): Promise<number> {
  const ids = {
    gate: Object.keys(world.gates),
    config: [...Object.keys(world.configs), ...Object.keys(world.experiments)],
    layer: Object.keys(world.layers),
  };
  let answers = 0;
  for (const user of users) {
    const oracle = new Oracle(world, user, Date.now());
    for (const part of parts) {
      for (const id of ids[part]) {
        const { value, ruleID } = await ask(part, user, id);
        expect({ part, id, user, value, ruleID }).toEqual({ part, id, user, ...oracle[part](id) });
        answers += 1;
      }
    }
  }
  return answers;
}
