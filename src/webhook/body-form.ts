const bodyForms = ["object", "array", "log_event"] as const;
/**
 * One event as a JSON object, several as an array of them, or as the list `events` of an object, with the
 * names of members that such lists have.
 */
export type BodyForm = (typeof bodyForms)[number];

/** Texts before and after the events of a body. */
export const bodyFrames: Readonly<Record<BodyForm, readonly [before: string, after: string]>> = {
  object: ["", ""],
  array: ["[", "]"],
  log_event: ['{"events":[', "]}"],
};

/** The members of an event in each form of a body; absent: those of the event itself. */
export const bodyMembers: Partial<Record<BodyForm, readonly string[]>> = {
  log_event: [
    "eventName=event",
    "time=timestamp",
    "user=platformUser",
    "metadata=metadata",
    "value=value",
  ],
};
