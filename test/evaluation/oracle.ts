import { createHash } from "node:crypto";

/** A loose view of entities: the oracle reads their fields and nothing of src/evaluation. */
// biome-ignore lint/suspicious/noExplicitAny: the oracle is plain, and no schema shapes it
export type Loose = Record<string, any>;

export interface World {
  readonly gates: Record<string, Loose>;
  readonly overrides: Record<string, Loose>;
  readonly segments: Record<string, Loose>;
  readonly holdouts: Record<string, Loose>;
  readonly configs: Record<string, Loose>;
  readonly experiments: Record<string, Loose>;
  readonly experimentOverrides: Record<string, Loose>;
  readonly layers: Record<string, Loose>;
  readonly lists: Record<string, readonly string[]>;
}

export interface OracleAnswer {
  readonly value: unknown;
  readonly ruleID: string;
}

class Unsupported extends Error {}

function remainder(text: string, modulus: bigint): number {
  const digest = createHash("sha256").update(text).digest();
  return Number(digest.readBigUInt64BE(0) % modulus);
}

function unitOf(user: Loose, idType: string): string | undefined {
  if (idType.toLowerCase() === "userid") return user["userID"];
  const ids: Loose = user["customIDs"] ?? {};
  const key = Object.keys(ids).find((name) => name.toLowerCase() === idType.toLowerCase());
  return ids[idType] ?? (key === undefined ? undefined : ids[key]);
}

function fieldOf(user: Loose, field: string): unknown {
  const lower = field.toLowerCase();
  const custom: Loose = user["custom"] ?? {};
  const hidden: Loose = user["privateAttributes"] ?? {};
  const holders = [user, custom, hidden];
  return holders.flatMap((holder) => [holder[field], holder[lower]]).find((one) => one != null);
}

function versionCompare(left: unknown, right: unknown): number | undefined {
  if (typeof left !== "string" || typeof right !== "string") return undefined;
  const parts = (text: string) => text.replace(/-.*/, "").split(".");
  const [one, other] = [parts(left), parts(right)];
  for (let at = 0; at < Math.max(one.length, other.length); at += 1) {
    if (![one[at] ?? "0", other[at] ?? "0"].every((part) => /^\d+$/.test(part))) return undefined;
    const difference = Number(one[at] ?? 0) - Number(other[at] ?? 0);
    if (difference !== 0) return Math.sign(difference);
  }
  return 0;
}

function milliseconds(value: unknown): number {
  if (value === undefined || value === null || value === "") return Number.NaN;
  const number = Number(value);
  if (Number.isNaN(number)) return new Date(String(value)).getTime();
  return Math.abs(number) < 1e10 ? number * 1000 : number;
}

function compare(operator: string, value: unknown, target: Loose[string]): boolean {
  const missing = value === undefined || value === null;
  const many: unknown[] = [target ?? []].flat();
  const one = Array.isArray(target) && target.length === 1 ? target[0] : target;
  const text = String(value);
  const lower = text.toLowerCase();
  const lowers = many.map((item) => String(item).toLowerCase());
  const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  const numeric = (test: (left: number, right: number) => boolean) =>
    !missing &&
    text.trim() !== "" &&
    !Number.isNaN(Number(text)) &&
    !Number.isNaN(Number(one)) &&
    test(Number(text), Number(one));
  const version = (test: (order: number) => boolean) => {
    const order = versionCompare(value, String(one));
    return order !== undefined && test(order);
  };
  const inTime = (test: (left: number, right: number) => boolean) => {
    const [left, right] = [milliseconds(value), milliseconds(one)];
    return !Number.isNaN(left) && !Number.isNaN(right) && test(left, right);
  };
  switch (operator) {
    case "any":
      return !missing && lowers.includes(lower);
    case "none":
      return missing || !lowers.includes(lower);
    case "any_case_sensitive":
      return !missing && many.map(String).includes(text);
    case "none_case_sensitive":
      return missing || !many.map(String).includes(text);
    case "str_contains_any":
      return !missing && lowers.some((part) => lower.includes(part));
    case "str_contains_none":
      return missing || !lowers.some((part) => lower.includes(part));
    case "str_starts_with_any":
      return !missing && lowers.some((part) => lower.startsWith(part));
    case "str_ends_with_any":
      return !missing && lowers.some((part) => lower.endsWith(part));
    case "str_matches":
      return !missing && text.length < 1000 && new RegExp(one).test(text);
    case "gt":
      return numeric((left, right) => left > right);
    case "gte":
      return numeric((left, right) => left >= right);
    case "lt":
      return numeric((left, right) => left < right);
    case "lte":
      return numeric((left, right) => left <= right);
    case "version_gt":
      return version((order) => order > 0);
    case "version_gte":
      return version((order) => order >= 0);
    case "version_lt":
      return version((order) => order < 0);
    case "version_lte":
      return version((order) => order <= 0);
    case "version_eq":
      return version((order) => order === 0);
    case "version_neq":
      return version((order) => order !== 0);
    case "before":
      return inTime((left, right) => left < right);
    case "after":
      return inTime((left, right) => left > right);
    case "on":
      return inTime((left, right) => day(left) === day(right));
    case "array_contains_any":
      return Array.isArray(value) && many.some((item) => value.map(String).includes(String(item)));
    case "array_contains_none":
      return Array.isArray(value) && !many.some((item) => value.map(String).includes(String(item)));
    case "array_contains_all":
      return Array.isArray(value) && many.every((item) => value.map(String).includes(String(item)));
    case "not_array_contains_all":
      return (
        Array.isArray(value) && !many.every((item) => value.map(String).includes(String(item)))
      );
    default:
      throw new Unsupported(operator);
  }
}

/** Evaluates by the written rules, one by one and slowly. */
export class Oracle {
  constructor(
    private readonly world: World,
    private readonly user: Loose,
    private readonly now: number,
  ) {}

  /** Every condition is evaluated, also after one that fails. */
  #holds(conditions: Loose[], idType: string, environments: string[] | null | undefined): boolean {
    const results = conditions.map((condition) => this.#condition(condition, idType));
    const tier = String(this.user["statsigEnvironment"]?.tier).toLowerCase();
    if (environments) results.push(environments.map((name) => name.toLowerCase()).includes(tier));
    return results.every((result) => result);
  }

  #condition({ type, operator, targetValue, field, customID }: Loose, idType: string): boolean {
    const one =
      Array.isArray(targetValue) && targetValue.length === 1 ? targetValue[0] : targetValue;
    const { user } = this;
    const on = (value: unknown) => compare(operator, value, targetValue ?? null);
    switch (type) {
      case "public":
        return true;
      case "passes_gate":
      case "fails_gate":
        if (typeof one !== "string") throw new Unsupported(type);
        return this.gateValue(one) === (type === "passes_gate");
      case "passes_segment":
      case "fails_segment":
        if (typeof one !== "string") throw new Unsupported(type);
        return this.#segment(one) === (type === "passes_segment");
      case "user_id":
        return on(fieldOf(user, "userID"));
      case "email":
        return on(fieldOf(user, "email"));
      case "app_version":
        return on(fieldOf(user, "appVersion"));
      case "locale":
        return on(fieldOf(user, "locale"));
      case "ip_address":
        return on(fieldOf(user, "ip"));
      case "country":
        return on(fieldOf(user, "country"));
      case "os_name":
      case "browser_name":
      case "device_model":
        return on(fieldOf(user, type));
      case "custom_field":
        return on(fieldOf(user, field));
      case "environment_tier":
        return on(user["statsigEnvironment"]?.tier);
      case "unit_id":
        return on(unitOf(user, customID ?? idType));
      case "time":
        return on(this.now);
      default:
        throw new Unsupported(type);
    }
  }

  /** The first rule that holds decides; undefined if none does. */
  #decide(entity: Loose, rules: Loose[]): { rule: Loose; passes: boolean } | undefined {
    for (const rule of rules) {
      if (!this.#holds(rule["conditions"], entity["idType"], rule["environments"])) continue;
      const percentage = Number(rule["passPercentage"]);
      const unit = unitOf(this.user, entity["idType"]) ?? "";
      const step = remainder(`${entity["id"]}.${rule["baseID"]}.${unit}`, 10_000n);
      const passes = percentage === 100 || (percentage > 0 && step < percentage * 100);
      return { rule, passes };
    }
    return undefined;
  }

  gate(id: string): OracleAnswer {
    return this.#supported(false, () => this.#gate(id));
  }

  #gate(id: string): OracleAnswer {
    const gate = this.world.gates[id];
    if (gate === undefined) return { value: false, ruleID: "" };
    if (!gate["isEnabled"] || gate["status"] === "Archived") {
      return { value: false, ruleID: "disabled" };
    }
    const override = this.#gateOverride(gate);
    if (override !== undefined) return override;
    for (const holdout of this.#holdoutsOf(gate, "gateIDs")) {
      if (this.#holdout(holdout)) return { value: false, ruleID: holdout };
    }
    if (gate["status"] === "Launched") return { value: true, ruleID: "launched" };
    const decided = this.#decide(gate, gate["rules"]);
    if (decided === undefined) return { value: false, ruleID: "default" };
    return { value: decided.passes, ruleID: decided.rule["id"] };
  }

  #gateOverride(gate: Loose): OracleAnswer | undefined {
    const overrides = this.world.overrides[gate["id"]];
    if (overrides === undefined) return undefined;
    const has = (ids: string[], idType: string) =>
      ids.some((id) => id.toLowerCase() === unitOf(this.user, idType)?.toLowerCase());
    const tier = this.user["statsigEnvironment"]?.tier?.toLowerCase();
    for (const kind of ["passing", "failing"]) {
      const name = kind === "passing" ? "pass" : "fail";
      const value = kind === "passing";
      const isListed =
        has(overrides[`${kind}UserIDs`], "userID") ||
        has(overrides[`${kind}CustomIDs`], gate["idType"]);
      if (isListed) return { value, ruleID: `${name}:all:id_override` };
      for (const one of overrides["environmentOverrides"]) {
        const isHere = one.environment === null || one.environment === tier;
        if (isHere && has(one[`${kind}IDs`], one.unitID)) {
          return { value, ruleID: `${name}:${one.environment ?? "all"}:id_override` };
        }
      }
    }
    return undefined;
  }

  #holdoutsOf({ id, holdoutIDs }: Loose, members: string): string[] {
    const naming = Object.values(this.world.holdouts).filter((one) => one[members].includes(id));
    return [...new Set<string>([...holdoutIDs, ...naming.map((one) => one["id"])])];
  }

  #holdout(id: string): boolean {
    const holdout = this.world.holdouts[id];
    if (holdout === undefined || !holdout["isEnabled"]) return false;
    const rule = { conditions: [], passPercentage: holdout["passPercentage"], baseID: id };
    return this.#decide(holdout, [rule])?.passes ?? false;
  }

  gateValue(id: string): boolean {
    return this.#gate(id).value === true;
  }

  #segment(id: string): boolean {
    const segment = this.world.segments[id];
    if (segment === undefined || !segment["isEnabled"] || segment["isArchived"]) return false;
    if (segment["type"] !== "rule_based") {
      const unit = unitOf(this.user, segment["idType"]);
      return unit !== undefined && (this.world.lists[id] ?? []).includes(unit);
    }
    return this.#decide(segment, segment["rules"])?.passes ?? false;
  }

  config(id: string): OracleAnswer {
    return this.#supported({}, () =>
      this.world.experiments[id] === undefined ? this.#config(id) : this.#experiment(id),
    );
  }

  #config(id: string): OracleAnswer {
    const config = this.world.configs[id];
    if (config === undefined) return { value: {}, ruleID: "" };
    const value = config["defaultValue"];
    if (!config["isEnabled"] || config["isArchived"]) return { value, ruleID: "disabled" };
    for (const holdout of config["holdoutIDs"]) {
      if (this.#holdout(holdout)) return { value, ruleID: holdout };
    }
    const decided = this.#decide(config, config["rules"]);
    if (decided === undefined) return { value, ruleID: "default" };
    const given = decided.passes ? (decided.rule["returnValue"] ?? {}) : value;
    return { value: given, ruleID: decided.rule["id"] };
  }

  #experiment(id: string): OracleAnswer {
    const experiment = this.world.experiments[id]!;
    const base = this.#baseOf(experiment);
    const none = (ruleID: string) => ({ value: base, ruleID });
    if (experiment["status"] === "archived") return none("disabled");
    const unit = unitOf(this.user, experiment["idType"]) ?? "";
    const groupValue = (group: Loose) => ({ ...base, ...group["parameterValues"] });
    for (const { groupID, ids } of this.world.experimentOverrides[id]?.["userIDOverrides"] ?? []) {
      const group = experiment["groups"].find((one: Loose) => one["id"] === groupID);
      if (group && ids.includes(this.user["userID"])) {
        return { value: groupValue(group), ruleID: `${groupID}:userID:id_override` };
      }
    }
    for (const holdout of this.#holdoutsOf(experiment, "experimentIDs")) {
      if (this.#holdout(holdout)) return none(holdout);
    }
    if (experiment["status"] === "setup") return none("prestart");
    if (experiment["status"] === "decision_made") {
      const launched = experiment["groups"].find(
        (one: Loose) => one["id"] === experiment["launchedGroupID"],
      );
      return { value: launched ? groupValue(launched) : base, ruleID: "launchedGroup" };
    }
    if (experiment["status"] !== "active") return none(experiment["status"]);
    if (!this.#takesPart(experiment, unit)) return none("layerAssignment");
    const gate = experiment["targetingGateID"];
    if (gate && !this.gateValue(gate)) return none("targetingGate");
    const inline = experiment["inlineTargetingRules"];
    const segment = { id: `segment:inline_targeting:${id}`, idType: experiment["idType"] };
    if (inline.length > 0 && !this.#decide(segment, inline)?.passes) {
      return none("inlineTargetingRules");
    }
    const bucket = remainder(`${id}.${unit}`, 1_000n);
    let end = 0;
    for (const group of experiment["groups"]) {
      end += Number(group["size"]);
      if (bucket >= Math.round(end * 10)) continue;
      return { value: group["disabled"] ? base : groupValue(group), ruleID: group["id"] };
    }
    return none("default");
  }

  #baseOf({ layerID }: Loose): Loose {
    if (!layerID) return {};
    const launched = Object.values(this.world.experiments)
      .filter((one) => one["layerID"] === layerID && one["status"] === "decision_made")
      .sort((left, right) => left["decisionTime"] - right["decisionTime"])
      .flatMap((one) =>
        one["groups"].filter((group: Loose) => group["id"] === one["launchedGroupID"]),
      );
    const values = launched.map((group) => group["parameterValues"] ?? {});
    return Object.assign({}, this.world.layers[layerID]?.["defaultValue"], ...values);
  }

  #takesPart(experiment: Loose, unit: string): boolean {
    const { id, layerID, userBuckets, allocation } = experiment;
    const bucket = remainder(`${layerID ?? id}.allocation.${unit}`, 1_000n);
    if (userBuckets.length > 0) return userBuckets.includes(bucket);
    return bucket < Number(allocation) * 10;
  }

  layer(id: string): OracleAnswer {
    return this.#supported({}, () => {
      const members = Object.values(this.world.experiments)
        .filter((one) => one["layerID"] === id && one["status"] === "active")
        .sort((left, right) => left["startTime"] - right["startTime"]);
      const layer = this.world.layers[id];
      if (layer === undefined && members.length === 0) return { value: {}, ruleID: "" };
      const base = this.#baseOf({ layerID: id });
      for (const holdout of layer?.["holdoutIDs"] ?? []) {
        if (this.#holdout(holdout)) return { value: base, ruleID: holdout };
      }
      for (const member of members) {
        const unit = unitOf(this.user, member["idType"]) ?? "";
        if (this.#takesPart(member, unit)) return this.#experiment(member["id"]);
      }
      return { value: base, ruleID: "default" };
    });
  }

  #supported(value: unknown, answer: () => OracleAnswer): OracleAnswer {
    try {
      return answer();
    } catch (error) {
      if (error instanceof Unsupported) return { value, ruleID: "" };
      throw error;
    }
  }
}
