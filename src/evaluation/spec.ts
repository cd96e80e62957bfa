import type { AnyObject } from "../contract/fields.js";

/**
 * A condition as SDKs read it. The names of the fields of specifications, and of the documents that hold
 * them, are those of the platform's SDKs.
 */
export interface SpecCondition {
  readonly type: string;
  readonly operator: string | null;
  readonly targetValue: unknown;
  readonly field: string | null;
  readonly additionalValues: { readonly salt?: string };
  /** Names the id that `unit_id` and `user_bucket` read. */
  readonly idType: string;
}

export interface SpecRule {
  readonly name: string;
  readonly id: string;
  readonly salt: string;
  /** 0 to 100, in steps of 0.01. */
  readonly passPercentage: number;
  /** True for gates, an object for the others. */
  readonly returnValue: true | AnyObject;
  readonly conditions: readonly SpecCondition[];
  readonly idType: string;
  readonly groupName: string | null;
  readonly isExperimentGroup?: boolean;
  /** The experiment of a layer that decides for units of this rule. */
  readonly configDelegate?: string;
}

const specEntities = [
  "feature_gate",
  "segment",
  "holdout",
  "dynamic_config",
  "experiment",
  "layer",
] as const;

type SpecEntity = (typeof specEntities)[number];

/** The part of an entity that decides what users get: SDKs read it. */
export interface Spec {
  readonly name: string;
  readonly type: "feature_gate" | "dynamic_config";
  readonly entity: SpecEntity;
  readonly salt: string;
  readonly enabled: boolean;
  readonly defaultValue: false | AnyObject;
  readonly idType: string;
  readonly rules: readonly SpecRule[];
  readonly version: number;
  readonly targetAppIDs: readonly string[];
  /** Experiments: true while units are assigned to groups. */
  readonly isActive?: boolean;
  /** Experiments of a layer, which share its parameters. */
  readonly hasSharedParams?: boolean;
  /** Experiments of a layer: the parameters that their groups set. */
  readonly explicitParameters?: readonly string[];
}

/** Returns the name of a segment among gates. */
export function segmentName(id: string): string {
  return `segment:${id}`;
}

/** Returns the name of a holdout among gates. A gate cannot have it, because of the colon. */
export function holdoutName(id: string): string {
  return `holdout:${id}`;
}

export const PUBLIC: SpecCondition = {
  type: "public",
  operator: null,
  targetValue: null,
  field: null,
  additionalValues: {},
  idType: "userID",
};

/** Returns a rule that holds for every unit that meets the conditions. */
export function plainRule(
  id: string,
  { conditions = [PUBLIC], ...rest }: Partial<SpecRule> & Pick<SpecRule, "returnValue" | "idType">,
): SpecRule {
  return { name: id, id, salt: id, passPercentage: 100, groupName: null, ...rest, conditions };
}

/** As SDKs have it: a key with an app sees only what names this app. */
export function isOfApp({ targetAppIDs }: Spec, targetApp: string | undefined): boolean {
  return targetApp === undefined || targetAppIDs.includes(targetApp);
}
