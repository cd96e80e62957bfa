import { createRandom } from "../support/random.js";
import type { Loose, World } from "./oracle.js";

/** Picks from a seeded sequence. */
class Picks {
  readonly #random: () => number;

  constructor(seed: number) {
    this.#random = createRandom(seed);
    for (let skipped = 0; skipped < 20; skipped += 1) this.#random();
  }

  below(end: number): number {
    return Math.floor(this.#random() * end);
  }

  chance(share: number): boolean {
    return this.#random() < share;
  }

  one<T>(values: readonly T[]): T {
    return values[this.below(values.length)]!;
  }

  some<T>(values: readonly T[], countMax = 3): T[] {
    return Array.from({ length: 1 + this.below(countMax) }, () => this.one(values));
  }
}

const percentages = [0, 0.01, 10, 33.33, 40, 50, 60, 70, 99.99, 100, 100, 100, "25"];
const emails = ["ann@corp.com", "bo@corp.com", "cy@mail.org", "DEE@CORP.COM", "eve@x.io"];
const countries = ["US", "DE", "at", "FR", "JP"];
const versions = ["1.9.9", "1.10", "1.10.0-beta", "2", "2.0.1", "x.1", "1.0.2"];
const plans = ["free", "pro", "Enterprise", "", "null"];
const tiers = ["production", "staging", "development", "Staging"];
const days = [1_700_000_000_000, 1_700_000_000, "1700006400000", "2023-11-14T23:30:00Z", "soon"];
const userIDs = (count: number) => Array.from({ length: count }, (_, index) => `user-${index}`);

export const listedUnits = userIDs(2_000).filter((_, index) => index % 3 === 0);

/** Returns a user with some of the fields that SDKs send. */
export function randomUser(seed: number): Loose {
  const pick = new Picks(seed);
  const maybe = <T>(value: T): T | undefined => (pick.chance(0.7) ? value : undefined);
  const user: Loose = {
    userID: pick.chance(0.95) ? `user-${seed % 2_000}` : undefined,
    email: maybe(pick.one(emails)),
    country: maybe(pick.one(countries)),
    appVersion: maybe(pick.one(versions)),
    locale: maybe(pick.one(["en_US", "de_DE"])),
    ip: maybe(`10.0.0.${pick.below(5)}`),
    custom: maybe({
      plan: pick.one(plans),
      age: pick.one<unknown>([17, 18, "18", 21.5, "old", "", true]),
      Level: pick.below(4),
      seen: pick.one(days),
      tags: pick.some(["a", "b", "c", "1"]),
    }),
    privateAttributes: maybe({ secret: pick.one(plans) }),
    customIDs: maybe({ companyID: `company-${pick.below(40)}`, stableID: `device-${seed}` }),
    statsigEnvironment: maybe({ tier: pick.one(tiers) }),
  };
  return Object.fromEntries(Object.entries(user).filter(([, value]) => value !== undefined));
}

function randomCondition(
  pick: Picks,
  gates: readonly string[],
  segments: readonly string[],
): Loose {
  const list = (values: readonly unknown[]) =>
    pick.chance(0.85) ? pick.some(values) : pick.one(values);
  const sets = ["any", "none", "any_case_sensitive", "none_case_sensitive"];
  const texts = [
    "str_contains_any",
    "str_contains_none",
    "str_starts_with_any",
    "str_ends_with_any",
  ];
  const arrays = ["array_contains_any", "array_contains_none"];
  arrays.push("array_contains_all", "not_array_contains_all");
  const choices: (() => Loose)[] = [
    () => ({ type: "public" }),
    () => ({ type: "user_id", operator: pick.one(sets), targetValue: pick.some(userIDs(60), 30) }),
    () => ({
      type: "email",
      operator: pick.one(texts),
      targetValue: list(["@corp", ".org", "Ann"]),
    }),
    () => ({ type: "email", operator: pick.one(sets), targetValue: list(emails) }),
    () => ({ type: "email", operator: "str_matches", targetValue: "^[a-c].*@(corp|mail)" }),
    () => ({ type: "country", operator: pick.one(sets), targetValue: list(countries) }),
    () => ({
      type: "app_version",
      operator: pick.one(["gt", "gte", "lt", "lte", "eq", "neq"].map((name) => `version_${name}`)),
      targetValue: pick.one(["1.10", "2.0", "1.9.9-rc"]),
    }),
    () => ({
      type: "custom_field",
      field: pick.one(["age", "level", "Level", "missing"]),
      operator: pick.one(["gt", "gte", "lt", "lte"]),
      targetValue: pick.one<unknown>([18, "18", 2, [1]]),
    }),
    () => ({
      type: "custom_field",
      field: pick.one(["plan", "secret", "missing"]),
      operator: pick.one([...sets, ...texts]),
      targetValue: list(["free", "pro", "ENTERPRISE"]),
    }),
    () => ({
      type: "custom_field",
      field: "tags",
      operator: pick.one(arrays),
      targetValue: pick.some(["a", "b", "1"], 2),
    }),
    () => ({
      type: "custom_field",
      field: "seen",
      operator: pick.one(["before", "after", "on"]),
      targetValue: pick.one<unknown>([1_700_000_000_000, 1_700_000_001, "2023-11-14T00:00:00Z"]),
    }),
    () => ({
      type: "time",
      operator: pick.one(["before", "after"]),
      targetValue: pick.one([1, 9e12]),
    }),
    () => ({
      type: "environment_tier",
      operator: pick.one(sets),
      targetValue: list(tiers.slice(0, 3)),
    }),
    () => ({ type: "ip_address", operator: "any", targetValue: list(["10.0.0.1", "10.0.0.2"]) }),
    () => ({
      type: "unit_id",
      customID: pick.one(["companyID", "companyID", "stableID"]),
      operator: pick.one(sets),
      targetValue: pick.some(
        Array.from({ length: 40 }, (_, at) => `company-${at}`),
        30,
      ),
    }),
  ];
  if (gates.length > 0) {
    choices.push(() => ({
      type: pick.one(["passes_gate", "fails_gate"]),
      targetValue: pick.chance(0.5) ? pick.one(gates) : [pick.one([...gates, "absent"])],
    }));
  }
  if (segments.length > 0) {
    choices.push(() => ({
      type: pick.one(["passes_segment", "fails_segment"]),
      targetValue: pick.one(segments),
    }));
  }
  return pick.one(choices)();
}

function randomRules(pick: Picks, gates: readonly string[], segments: readonly string[]): Loose[] {
  return Array.from({ length: pick.below(5) }, (_, index) => ({
    name: `rule ${index}`,
    id: `r${index}-${pick.below(1e9)}`,
    baseID: pick.chance(0.05) ? "" : `b${index}-${pick.below(1e9)}`,
    passPercentage: pick.one(percentages),
    conditions: Array.from({ length: pick.below(3) }, () => randomCondition(pick, gates, segments)),
    environments: pick.chance(0.15) ? pick.some(["production", "staging"]) : null,
    returnValue: { n: index, text: pick.one(plans) },
  }));
}

/** Returns entities of all kinds that refer to each other without cycles. */
export function randomWorld(seed: number): World {
  const pick = new Picks(seed);
  const world = {
    gates: {} as Record<string, Loose>,
    overrides: {} as Record<string, Loose>,
    segments: {} as Record<string, Loose>,
    holdouts: {} as Record<string, Loose>,
    configs: {} as Record<string, Loose>,
    experiments: {} as Record<string, Loose>,
    experimentOverrides: {} as Record<string, Loose>,
    layers: {} as Record<string, Loose>,
    lists: { listed: listedUnits },
  };
  const idType = () => pick.one(["userID", "userID", "userID", "companyID", "stableID"]);
  const shared = () => ({ idType: idType(), version: 1, targetApps: [] as string[] });
  world.segments["listed"] = {
    ...shared(),
    id: "listed",
    idType: "userID",
    type: "id_list",
    isEnabled: true,
    rules: [],
  };
  for (let at = 0; at < 3; at += 1) {
    const id = `segment_${at}`;
    const others = Object.keys(world.segments);
    world.segments[id] = {
      ...shared(),
      id,
      type: "rule_based",
      isEnabled: pick.chance(0.9),
      rules: randomRules(pick, [], others),
    };
  }
  for (let at = 0; at < 2; at += 1) {
    const id = `holdout_${at}`;
    const isEnabled = pick.chance(0.8);
    const passPercentage = pick.one([5, 10, "50"]);
    const rest = { isEnabled, passPercentage, targetingGateID: null };
    // One of them names its members, and members name both.
    const gateIDs = at === 0 ? ["gate_1", "gate_2"] : [];
    const experimentIDs = at === 0 ? ["experiment_1", "experiment_4"] : [];
    world.holdouts[id] = { ...shared(), ...rest, id, gateIDs, experimentIDs, layerIDs: [] };
  }
  const holdoutIDs = () => (pick.chance(0.25) ? [pick.one(Object.keys(world.holdouts))] : []);
  for (let at = 0; at < 12; at += 1) {
    const id = `gate_${at}`;
    world.gates[id] = {
      ...shared(),
      id,
      isEnabled: pick.chance(0.9),
      status: pick.one(["In Progress", "In Progress", "In Progress", "Launched", "Archived"]),
      holdoutIDs: holdoutIDs(),
      rules: randomRules(pick, Object.keys(world.gates), Object.keys(world.segments)),
    };
    if (!pick.chance(0.25)) continue;
    world.overrides[id] = {
      passingUserIDs: pick.chance(0.5) ? pick.some(userIDs(200), 40) : [],
      failingUserIDs: [],
      passingCustomIDs: [],
      failingCustomIDs: pick.chance(0.5) ? ["company-1", "company-2"] : [],
      environmentOverrides: [
        {
          environment: "staging",
          unitID: "userID",
          passingIDs: ["user-7"],
          failingIDs: ["user-8"],
        },
      ],
    };
  }
  const gates = Object.keys(world.gates);
  const segments = Object.keys(world.segments);
  for (let at = 0; at < 4; at += 1) {
    const id = `config_${at}`;
    world.configs[id] = {
      ...shared(),
      id,
      isEnabled: pick.chance(0.9),
      defaultValue: { fallback: true },
      holdoutIDs: holdoutIDs(),
      rules: randomRules(pick, gates, segments),
    };
  }
  world.layers["layer_0"] = {
    ...shared(),
    id: "layer_0",
    idType: "userID",
    defaultValue: { color: "grey", size: 1 },
    holdoutIDs: holdoutIDs(),
  };
  for (let at = 0; at < 6; at += 1) {
    const id = `experiment_${at}`;
    const isLayered = at < 3;
    const statuses = ["active", "active", "active", "setup", "decision_made", "abandoned"];
    const start = at * 330;
    const groups = randomGroups(pick, id);
    world.experiments[id] = {
      ...shared(),
      id,
      idType: isLayered ? "userID" : idType(),
      status: pick.one([...statuses, "experiment_stopped", "archived"]),
      createdTime: at,
      startTime: 1_000 + at,
      decisionTime: 2_000 + at,
      layerID: isLayered ? "layer_0" : null,
      groups,
      launchedGroupID: pick.one(groups)["id"],
      allocation: pick.one([100, 80, 12.3]),
      userBuckets: isLayered ? Array.from({ length: 330 }, (_, index) => start + index) : [],
      holdoutIDs: holdoutIDs(),
      targetingGateID: pick.chance(0.3) ? pick.one(gates) : null,
      inlineTargetingRules: pick.chance(0.3) ? randomRules(pick, gates, segments) : [],
      enabledNonProdEnvironments: [],
    };
    if (!pick.chance(0.3) || isLayered) continue;
    const override = { groupID: groups[0]!["id"], ids: ["user-3", "user-4"], unitType: "userID" };
    world.experimentOverrides[id] = {
      userIDOverrides: [{ ...override, environment: null }],
      overrides: [],
    };
  }
  return world;
}

function randomGroups(pick: Picks, id: string): Loose[] {
  const sizes = pick.one([
    [50, 50],
    [33.33, 33.33, 33.33],
    [10, 20],
    ["60", 40],
  ]);
  return sizes.map((size, index) => ({
    id: `${id}-g${index}`,
    name: index === 0 ? "Control" : `Test ${index}`,
    size,
    disabled: pick.chance(0.15),
    parameterValues: { color: pick.one(["red", "blue"]), index },
  }));
}
