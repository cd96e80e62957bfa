import { describe, expect, it } from "vitest";
import type { AnyObject } from "../../src/contract/fields.js";
import { randomWorld } from "../evaluation/random-world.js";
import { propertyRuns } from "../support/property-runs.js";
import { hasPackages, load } from "./packages.js";
import {
  type Answer,
  changedWorld,
  expectOracle,
  serveWorld,
  storeWorld,
  usersOf,
} from "./served-world.js";

interface Details {
  readonly value: unknown;
  readonly flagMetadata?: { readonly ruleID?: string };
}

/** The parts of both providers that the tests call. */
interface Provider {
  initialize(context: AnyObject): Promise<void>;
  onContextChange(before: AnyObject, after: AnyObject): Promise<void>;
  resolveBooleanEvaluation(...args: unknown[]): Details | Promise<Details>;
  resolveObjectEvaluation(...args: unknown[]): Details | Promise<Details>;
  onClose?(): Promise<void>;
}

type ProviderClass = new (options: object) => Provider;

/** Returns the context that says the same as a user of SDKs. */
function contextOf(user: AnyObject): AnyObject {
  const { userID, custom, privateAttributes, statsigEnvironment, ...fields } = user;
  const { tier } = (statsigEnvironment ?? {}) as AnyObject;
  return {
    ...(privateAttributes as AnyObject),
    ...(custom as AnyObject),
    ...fields,
    targetingKey: userID,
    ...(tier !== undefined && { environment: tier }),
  };
}

/** A targeting key stands for ids that a context lacks: here, each user has all of them. */
function identified(user: AnyObject): AnyObject {
  const ids = { companyID: "company-1", stableID: "device-1" };
  return { ...user, customIDs: { ...ids, ...(user["customIDs"] as AnyObject) } };
}

const quiet = { debug() {}, info() {}, warn() {}, error() {} };

async function resolve(
  provider: Provider,
  part: string,
  key: string,
  context: AnyObject,
): Promise<Answer> {
  const details =
    part === "gate"
      ? await provider.resolveBooleanEvaluation(key, false, context, quiet)
      : await provider.resolveObjectEvaluation(key, {}, context, quiet);
  return { value: details.value, ruleID: details.flagMetadata?.ruleID ?? "" };
}

const parts = ["gate", "config"] as const;

describe.skipIf(!hasPackages("@openfeature/ofrep-provider"))("@openfeature/ofrep-provider", () => {
  it("gets the oracle's answers", async () => {
    const { OFREPProvider } = load<{ OFREPProvider: ProviderClass }>("@openfeature/ofrep-provider");
    let answers = 0;
    for (let seed = 1; seed <= propertyRuns(10); seed += 1) {
      const world = randomWorld(seed * 7_919);
      const { service, base } = await serveWorld(world);
      const headers = [["X-API-Key", service.keys.server]];
      const provider = new OFREPProvider({ baseUrl: base, headers });
      const users = usersOf(seed, propertyRuns(50)).map(identified);
      answers += await expectOracle(
        world,
        users,
        (part, user, id) => resolve(provider, part, id, contextOf(user)),
        parts,
      );
      await provider.onClose?.();
      await service.close();
    }
    expect(answers).toBeGreaterThan(propertyRuns(10) * propertyRuns(50) * 20);
  });
});

const web = "@openfeature/ofrep-web-provider";

describe.skipIf(!hasPackages(web))(web, () => {
  it("gets the oracle's answers for each context, also after changes", async () => {
    const { OFREPWebProvider } = load<{ OFREPWebProvider: ProviderClass }>(web);
    const world = randomWorld(7_919);
    const { service, base } = await serveWorld(world);
    const headers = [["Authorization", `Bearer ${service.keys.client}`]];
    const provider = new OFREPWebProvider({ baseUrl: base, headers, pollInterval: -1 });
    let context: AnyObject = { targetingKey: "nobody" };
    await provider.initialize(context);
    for (const state of [world, changedWorld(world)]) {
      await storeWorld(service.store, state);
      const users = usersOf(1, propertyRuns(100)).map(identified);
      await expectOracle(
        state,
        users,
        async (part, user, id) => {
          const next = contextOf(user);
          if (context["targetingKey"] !== next["targetingKey"] || user === users[0]) {
            await provider.onContextChange(context, next);
          }
          context = next;
          return resolve(provider, part, id, next);
        },
        parts,
      );
    }
    await provider.onClose?.();
    await service.close();
  });
});
