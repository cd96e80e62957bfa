/** The treatment of what breaks a rule. */
export interface Replacing {
  /** The rule is repaired. */
  readonly replaces: boolean;
  /** Events stay as they are nevertheless: a dry run only counts. */
  readonly keeps: boolean;
}
