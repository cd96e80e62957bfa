import type { FieldSource, TimeSource } from "../mapper/field-schemas.js";
import type { Mapping, RowFilter } from "../mapper/mapping.js";
import type { PresetName } from "../mapper/presets.js";

/**
 * The ways in which an export says that two ids are one person; the first one counts if several say it at
 * the same time. `event`: both ids are on one event.
 */
export const evidences = ["identify", "alias", "event", "merge", "person"] as const;
type Evidence = (typeof evidences)[number];

/**
 * The ids that a rule links. `user`: `from` is a device, or an older id, of the user `to`. `same`: both are
 * one person, and either can be the user. `list`: all ids of the JSON array `from` are. `person`: `from` is
 * an id of the person number `to`. `member`: `to` is an id of the vendor's own number of a person, `from`;
 * it only counts if that number was merged. `numbers`: two such numbers are one person.
 */
export type LinkForm = "user" | "same" | "list" | "person" | "member" | "numbers";

/** Rows that link ids. */
export interface LinkRule {
  readonly evidence: Evidence;
  readonly form: LinkForm;
  readonly from: readonly FieldSource[];
  readonly to: readonly FieldSource[];
  /** Only rows whose field has one of these texts, or none of them. */
  readonly when?: RowFilter;
  /** Only rows without a value in this field. */
  readonly without?: readonly string[];
  /** True if `to` is the id of a user; for `member`. */
  readonly isUser?: true;
  /** True if rows can have no time; it is then 1970-01-01. */
  readonly isTimeless?: true;
}

/** All rules of a tool's exports. */
interface LinkRules {
  readonly rules: readonly LinkRule[];
  /** Fields of times that events do not have, after those of the mapping. */
  readonly times?: readonly TimeSource[];
  /** A prefix of anonymous ids that the fields of devices do not have. */
  readonly prefix?: string;
}

const field = (...path: readonly string[]): readonly FieldSource[] => [{ path: [...path] }];

const time = (...path: readonly string[]): TimeSource => ({
  path: [...path],
  format: "auto",
  zone: "UTC",
  shifted: false,
});

const named = (path: string, ...include: readonly string[]): RowFilter => ({
  path: [path],
  include: [...include],
  exclude: [],
});

/** Events with both ids. */
const seen = ({ stableID: from, userID: to }: Mapping): LinkRule => ({
  evidence: "event",
  form: "user",
  from,
  to,
});

/** https://amplitude.com/docs/data/destination-catalog/amazon-s3: files of merged ids. */
const amplitudeMerges = (mapping: Mapping): readonly LinkRule[] => {
  const number = field("amplitude_id");
  const merge = { evidence: "merge", form: "member", from: number } as const;
  return [
    { ...merge, to: mapping.stableID },
    { ...merge, to: mapping.userID, isUser: true },
    { evidence: "merge", form: "numbers", from: field("merged_amplitude_id"), to: number },
  ];
};

/** https://docs.mixpanel.com/docs/tracking-methods/id-management and the tables of json-pipelines. */
const mixpanel: readonly LinkRule[] = [
  {
    evidence: "event",
    form: "user",
    from: field("properties", "$device_id"),
    to: field("properties", "$user_id"),
  },
  {
    evidence: "identify",
    form: "user",
    when: named("event", "$identify"),
    from: field("properties", "$anon_id"),
    to: field("properties", "$identified_id"),
  },
  {
    evidence: "alias",
    form: "same",
    when: named("event", "$create_alias"),
    from: field("properties", "distinct_id"),
    to: field("properties", "alias"),
  },
  {
    evidence: "merge",
    form: "list",
    when: named("event", "$merge"),
    from: field("properties", "$distinct_ids"),
    to: field("properties", "$distinct_ids"),
  },
  {
    evidence: "merge",
    form: "same",
    from: field("distinct_id"),
    to: field("resolved_distinct_id"),
    isTimeless: true,
  },
];

/** https://posthog.com/docs/product-analytics/identify and /docs/cdp/batch-exports (model `persons`). */
const posthog: readonly LinkRule[] = [
  {
    evidence: "event",
    form: "user",
    from: field("properties", "$device_id"),
    to: field("properties", "$user_id"),
  },
  {
    evidence: "identify",
    form: "user",
    when: named("event", "$identify"),
    from: field("properties", "$anon_distinct_id"),
    to: field("distinct_id"),
  },
  {
    evidence: "alias",
    form: "same",
    when: named("event", "$create_alias"),
    from: field("properties", "alias"),
    to: field("distinct_id"),
  },
  {
    evidence: "merge",
    form: "same",
    when: named("event", "$merge_dangerously"),
    from: field("properties", "alias"),
    to: field("distinct_id"),
  },
  {
    evidence: "person",
    form: "person",
    // Events have the same fields.
    without: ["event"],
    from: field("distinct_id"),
    to: field("person_id"),
    isTimeless: true,
  },
];

/** https://segment.com/docs/connections/spec/identify and …/alias; RudderStack has the same calls. */
const tracking = (mapping: Mapping): readonly LinkRule[] => [
  {
    evidence: "identify",
    form: "user",
    when: named("type", "identify"),
    from: field("anonymousId"),
    to: field("userId"),
  },
  {
    evidence: "alias",
    form: "user",
    when: named("type", "alias"),
    from: field("previousId"),
    to: field("userId"),
  },
  { ...seen(mapping), when: { path: ["type"], include: [], exclude: ["identify", "alias"] } },
];

/** One row for each preset; docs/people.md describes them. */
const rulesOf: Readonly<Record<PresetName, (mapping: Mapping, hasMerges: boolean) => LinkRules>> = {
  amplitude: (mapping, hasMerges) => ({
    rules: [seen(mapping), ...(hasMerges ? amplitudeMerges(mapping) : [])],
    times: hasMerges
      ? [time("merge_server_time"), time("merge_time"), time("merge_event_time")]
      : [],
  }),
  mixpanel: () => ({ rules: mixpanel, prefix: "$device:" }),
  posthog: () => ({ rules: posthog, times: [time("created_at")] }),
  ga4: (mapping) => ({ rules: [seen(mapping)] }),
  segment: (mapping) => ({ rules: tracking(mapping) }),
  rudderstack: (mapping) => ({ rules: tracking(mapping) }),
  mparticle: (mapping) => ({ rules: [seen(mapping)] }),
  snowplow: (mapping) => ({ rules: [seen(mapping)] }),
  // Only the table of users has the identity.
  heap: (mapping) => ({ rules: [seen(mapping)], times: [time("joindate")] }),
  braze: (mapping) => ({ rules: [seen(mapping)] }),
  matomo: (mapping) => ({ rules: [seen(mapping)] }),
  adobe: (mapping) => ({ rules: [seen(mapping)] }),
};

/** Returns the rules for the exports of a preset. `hasMerges`: there are files of merged ids. */
export function linkRules(preset: string, mapping: Mapping, hasMerges: boolean): LinkRules {
  return rulesOf[preset as PresetName](mapping, hasMerges);
}
