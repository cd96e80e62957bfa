/** The form in which results are printed. */
export interface Output {
  readonly json: boolean;
  readonly quiet: boolean;
  readonly color: boolean;
  /** Standard error has one JSON object per line, too. */
  readonly log: boolean;
}

type OutputFlags = Readonly<Partial<Record<"json" | "quiet" | "color" | "logFormat", unknown>>>;

/** Returns the form that flags or a configuration ask for. */
export function outputOf({ json, quiet, color, logFormat }: OutputFlags): Output {
  const log = logFormat === "json";
  return { json: json === true || log, quiet: quiet === true, color: color !== false, log };
}
