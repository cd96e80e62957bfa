/** The kinds of entities that the console manages. */
export const entityKinds = [
  "gate",
  "dynamic_config",
  "experiment",
  "segment",
  "prompt",
  "qualifying_event",
] as const;

export type EntityKind = (typeof entityKinds)[number];
