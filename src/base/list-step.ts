/** The member and its text by which a step of a path chooses an object of a list. */
export interface ListStep {
  readonly member: string;
  readonly text: string;
}

/** Reads a step of the form `[member=text]`; undefined for all other steps. */
export function listStepOf(step: string): ListStep | undefined {
  const match = /^\[([^=]+)=(.*)\]$/s.exec(step);
  return match === null ? undefined : { member: match[1] as string, text: match[2] as string };
}

/** Returns true for a path with such a step. */
export function hasListStep({ path }: { readonly path: readonly string[] }): boolean {
  return path.some((step) => listStepOf(step) !== undefined);
}

/** Returns the value that a step leads to: a member of an object, or the first fitting object of a list. */
export function valueAtStep(value: unknown, step: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  const chosen = Array.isArray(value) ? listStepOf(step) : undefined;
  if (chosen === undefined) return (value as Readonly<Record<string, unknown>>)[step];
  return (value as readonly unknown[]).find(
    (one) => String(valueAtStep(one, chosen.member) ?? "") === chosen.text,
  );
}
