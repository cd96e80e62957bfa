import type { OptionType } from "./configuration-types.js";

/** Parts of the configuration file. */
export type Section = "validate" | "export" | "send" | "qualify" | "serve";

/** What is known about one option. Flags, environment, schema and documentation come from it. */
export interface OptionDescription<T> {
  /** Section of the configuration file; the root where absent. */
  readonly section?: Section;
  /** Key in the section, and flag of its command, where another section has a key of that name. */
  readonly key?: string;
  readonly type: OptionType<T>;
  /** One or two sentences without a full stop at the end. */
  readonly description: string;
  /** How documentation and help call the default; none where absent. */
  readonly default?: string;
  /** Stands in the file only, or comes without a flag's name (inputs). */
  readonly flag?: false;
  /** Name of the value in help, where the type's own says too little. */
  readonly placeholder?: string;
  /** What `--no-<flag>` says, for switches whose default is not off. */
  readonly negation?: string;
}

/** One option, with the type of its value. */
export const option = <T>(description: OptionDescription<T>): OptionDescription<T> => description;
