/**
 * A mapping as presets and configurations write it; mapping-schema.ts is its JSON Schema and says
 * what each part means. Every target may be left out, or null: nothing.
 */
export interface Mapping {
  readonly description?: string;
  readonly event?: TextTarget | null;
  readonly timestamp?: TimeTarget | null;
  readonly userID?: TextTarget | null;
  readonly stableID?: TextTarget | null;
  readonly value?: PlainTarget | null;
  readonly metadata?: ObjectTarget | null;
  readonly user?: ObjectTarget | null;
  readonly insertID?: TextTarget | null;
  readonly filter?: RowFilter | null;
}

/** Steps joined by dots, or one by one where a name contains a dot. `""` is the row itself. */
export type FieldPath = string | readonly string[];

export type OneOrMore<T> = T | readonly T[];

export type TextTarget = OneOrMore<string | FieldChoice>;

export interface FieldChoice {
  readonly field: FieldPath;
  /** Text that begins like this counts as null. */
  readonly unlessPrefix?: string;
  /** Text, or a number, that is one of these counts as null. */
  readonly unless?: readonly string[];
  /** Text, or a number, that is also the one of this field counts as null. */
  readonly unlessSameAs?: FieldPath;
}

export type TimeTarget = OneOrMore<string | TimeChoice>;

export interface TimeChoice {
  readonly field: FieldPath;
  /** `auto`, an epoch's unit, or a Luxon pattern. */
  readonly format?: string;
  /** Of times that name none; UTC when left out. */
  readonly zone?: string;
  /** Whether epochs count the zone's wall clock instead of UTC. */
  readonly shifted?: boolean;
}

export type PlainTarget = OneOrMore<string | { readonly field: FieldPath }>;

export type ObjectTarget = PlainTarget | FieldList | Rest | PairList;

export interface FieldList {
  readonly fields: readonly (string | NamedField)[];
}

export interface NamedField {
  readonly field: FieldPath;
  /** The member's name; the path's last step when left out. */
  readonly name?: string;
}

export interface Rest {
  /** The object of which whatever no other target takes is left. */
  readonly rest: FieldPath;
  /** Further names that are left out. */
  readonly except?: readonly string[];
}

/** A list of objects, each of which is a member by itself: `[{"key": "plan", "value": "free"}]`. */
export interface PairList {
  /** Where the list stands. */
  readonly pairs: PlainTarget;
  /** Within an element: the member's name, which is text. */
  readonly key: PlainTarget;
  /** Within an element: the member's value. */
  readonly value: OneOrMore<string | PairValue>;
}

export interface PairValue {
  readonly field: FieldPath;
  /** `number`: text that is a JSON number becomes that number. */
  readonly as?: "number";
}

/** Which rows are events, by the text of one field; patterns as of `--include-event`. */
export interface RowFilter {
  readonly field: FieldPath;
  readonly include?: readonly string[];
  /** Wins over `include`. */
  readonly exclude?: readonly string[];
}

/** What a mapping comes to, with everything said out loud: what mappers work from. Plain data. */
export interface ResolvedMapping {
  readonly event: readonly ResolvedField[];
  readonly timestamp: readonly ResolvedTime[];
  readonly userID: readonly ResolvedField[];
  readonly stableID: readonly ResolvedField[];
  readonly value: readonly ResolvedField[];
  readonly metadata: ResolvedObject;
  readonly user: ResolvedObject;
  readonly insertID: readonly ResolvedField[];
  readonly filter: ResolvedFilter | null;
}

export interface ResolvedFilter {
  readonly path: readonly string[];
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

export interface ResolvedField {
  readonly path: readonly string[];
  readonly unlessPrefix?: string;
  readonly unless?: readonly string[];
  readonly unlessSameAs?: readonly string[];
}

export interface ResolvedTime {
  readonly path: readonly string[];
  readonly format: string;
  readonly zone: string;
  readonly shifted: boolean;
}

export type ResolvedObject =
  | { readonly kind: "choices"; readonly choices: readonly ResolvedField[] }
  | { readonly kind: "fields"; readonly fields: readonly ResolvedMember[] }
  | {
      readonly kind: "rest";
      readonly path: readonly string[];
      /** Names of members directly under `path`, sorted. */
      readonly except: readonly string[];
    }
  | ResolvedPairs;

export interface ResolvedPairs {
  readonly kind: "pairs";
  readonly lists: readonly ResolvedField[];
  /** Paths within an element. */
  readonly keys: readonly ResolvedField[];
  readonly values: readonly ResolvedPairValue[];
}

export interface ResolvedPairValue {
  readonly path: readonly string[];
  readonly isNumber: boolean;
}

export interface ResolvedMember {
  readonly path: readonly string[];
  readonly name: string;
}
