import { SwitchyardError, UsageError } from "../base/errors.js";
import { omitUndefined } from "../base/omit-undefined.js";
import { type Configuration, loadConfiguration } from "../options/configuration.js";
import type { JsonObject } from "../options/json-value.js";
import {
  describeOption,
  localNameOf,
  type OptionName,
  optionNames,
} from "../options/option-names.js";

/** Sections of the configuration with keys that a function takes in addition to those of the root. */
type LibrarySection = "export" | "validate" | "send" | "verify";

/** Options of a function that are not in the configuration, with the types of their values. */
const ownOptions = {
  cwd: "string",
  signal: "object",
  onProgress: "function",
  onNote: "function",
  onReject: "function",
  onFailure: "function",
  hashSalt: "string",
  serverSecret: "string",
} as const;

const shared = "only commands share an export with other processes";
const printed = "the functions print nothing";

/** Options of the table that the library refuses, and why. */
export const commandOptions = {
  hashSaltFile: "give the salt itself as hashSalt",
  serverSecretFile: "give the secret itself as serverSecret",
  service: "only the command migrate starts a service",
  apply: "the report has the fixes, and there is no configuration file to write them into",
  shard: shared,
  queue: shared,
  metrics: "onProgress has the figures",
  notify: "the function returns the result",
  json: printed,
  quiet: printed,
  color: printed,
} as const satisfies Partial<Record<OptionName, string>>;

/**
 * Checks options like the configuration file and returns them as a configuration. An option belongs
 * to the first of `sections` that has a key of its name. Throws `UsageError` with all faults at
 * once.
 */
export async function configurationOf(
  options: object,
  sections: readonly LibrarySection[],
): Promise<Configuration> {
  checkOptions(options);
  const {
    cwd = process.cwd(),
    hashSalt,
    serverSecret,
    inputs,
    ...others
  } = options as Readonly<Record<string, unknown>> & {
    readonly cwd?: string;
    readonly hashSalt?: string;
    readonly serverSecret?: string;
  };
  const configuration = await loadConfiguration({
    content: {
      tree: treeOf({ ...others, inputs: typeof inputs === "string" ? [inputs] : inputs }, sections),
      keys: keysOf(sections),
    },
    flags: {},
    environment: {},
    currentDirectory: cwd,
    configPath: null,
  });
  return { ...configuration, ...omitUndefined({ hashSalt, serverSecret }) };
}

/** Returns an error with the names of options in its message, which has flags before. */
export function inNames(error: unknown): unknown {
  if (!(error instanceof SwitchyardError)) return error;
  const { message, stack } = error;
  error.message = error.toText("names");
  // The stack begins with the message, and is what Node prints.
  if (stack !== undefined) error.stack = stack.replace(message, () => error.message);
  return error;
}

/** Options that a function cannot do without: the codes of their errors, and what to give. */
const needed = {
  inputs: ["inputs_missing", "name files, directories or globs"],
  to: ["output_missing", "name the directory to write to"],
  sendTo: ["destination_missing", "give the base URL of the service"],
  serverSecret: ["secret_missing", "give the server secret of the service"],
} as const;

/** Throws one `UsageError` if any of these options is missing; `hashSalt` is needed for `hash`. */
export function requireOptions(
  { values, hashSalt, serverSecret }: Configuration,
  names: readonly (keyof typeof needed)[],
): void {
  const given = { ...values, serverSecret };
  const missing = names.flatMap((name): (readonly [code: string, text: string])[] => {
    if ((given[name]?.length ?? 0) > 0) return [];
    const [code, advice] = needed[name];
    return [[code, `${name === "sendTo" ? "to" : name} is missing: ${advice}`]];
  });
  const { hash = [] } = values;
  if (hash.length > 0 && (hashSalt ?? "") === "") {
    missing.push(["salt_missing", `hashSalt is missing: hash ${hash.join(", ")} needs a salt`]);
  }
  const [first] = missing;
  if (first === undefined) return;
  throw new UsageError(first[0], `${missing.map(([, text]) => text).join("; ")}.`);
}

/** Throws `UsageError` for options that are not an object, and for those that the table does not check. */
export function checkOptions(options: unknown): void {
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    throw new UsageError(
      "configuration_invalid",
      `The options are not valid: they must be one object (got ${JSON.stringify(options) ?? typeof options}).`,
    );
  }
  const given = options as Readonly<Record<string, unknown>>;
  const wrong = Object.entries(ownOptions).flatMap(([name, kind]) =>
    given[name] === undefined || (typeof given[name] === kind && given[name] !== null)
      ? []
      : [`${name}: must be a ${kind}`],
  );
  const ofCommands = Object.entries(commandOptions).flatMap(([option, reason]) => {
    const name = localNameOf(option as OptionName);
    return given[name] === undefined ? [] : [`${name}: an option of the command line; ${reason}`];
  });
  const faults = [...wrong, ...ofCommands];
  if (faults.length === 0) return;
  throw new UsageError("configuration_invalid", `The options are not valid: ${faults.join("; ")}.`);
}

/** Moves each option to its place in the configuration file. */
function treeOf(
  options: Readonly<Record<string, unknown>>,
  sections: readonly LibrarySection[],
): JsonObject {
  const root: Record<string, unknown> = {};
  const bySection: Partial<Record<LibrarySection, Record<string, unknown>>> = {};
  for (const [key, value] of Object.entries(options)) {
    if (value === undefined || Object.hasOwn(ownOptions, key)) continue;
    const section = isKeyOf(key, undefined)
      ? undefined
      : (sections.find((name) => isKeyOf(key, name)) ?? sections[0]);
    if (section === undefined) root[key] = value;
    else bySection[section] = { ...bySection[section], [key]: value };
  }
  return { ...root, ...bySection } as JsonObject;
}

/** Returns the names of a function's options, to suggest one for an unknown name. */
function keysOf(sections: readonly LibrarySection[]): readonly string[] {
  const names = optionNames.filter((name) => {
    const { section } = describeOption(name);
    const isOfFunction = section === undefined || (sections as readonly string[]).includes(section);
    return isOfFunction && !Object.hasOwn(commandOptions, name);
  });
  return [...names.map(localNameOf), "mapping", ...Object.keys(ownOptions)];
}

function isKeyOf(key: string, section: LibrarySection | undefined): boolean {
  if (section === undefined && key === "mapping") return true;
  return optionNames.some(
    (name) => localNameOf(name) === key && describeOption(name).section === section,
  );
}
