/** The form in which results are printed. */
export interface Output {
  readonly json: boolean;
  readonly quiet: boolean;
  readonly color: boolean;
}

type OutputFlags = Readonly<Partial<Record<keyof Output, unknown>>>;

/** Returns the form that flags or a configuration ask for. */
export function outputOf({ json, quiet, color }: OutputFlags): Output {
  return { json: json === true, quiet: quiet === true, color: color !== false };
}
