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

export type ObjectTarget = PlainTarget | FieldList | Rest;

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
}

export interface ResolvedField {
  readonly path: readonly string[];
  readonly unlessPrefix?: string;
  readonly unless?: readonly string[];
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
    };

export interface ResolvedMember {
  readonly path: readonly string[];
  readonly name: string;
}
