import path from "node:path";
import { expect, test } from "vitest";
import { serviceOptionsOf } from "../../src/cli/service/service-options.js";
import { namingOptionsOf } from "../../src/engine/complete-report.js";
import type { Configuration } from "../../src/pipeline/configuration/configuration.js";
import { resolveExportOptions } from "../../src/pipeline/configuration/configuration-export.js";
import {
  describeOption,
  type OptionName,
  type OptionValues,
  optionNames,
} from "../../src/pipeline/configuration/configuration-options.js";
import { resolveSendRequest } from "../../src/pipeline/configuration/configuration-send.js";
import { resolveValidateRequest } from "../../src/pipeline/configuration/configuration-validate.js";

const directory = path.resolve("/somewhere");
const machine = { threads: 3, memoryBytes: 2 ** 33 };

/** Options whose default depends on more than the options. */
const inWords: readonly OptionName[] = [
  ...(["inputFormat", "csvDelimiter", "csvQuote", "csvColumns", "csvHeader"] as const),
  ...(["includeEvent", "maxTime", "service", "threads", "memory", "rate", "burst"] as const),
  ...(["from", "tag"] as const),
];

/** On only where they are given: steps ask for `true`. */
const switches: readonly OptionName[] = ["apply", "yes", "dryRun", "json", "quiet"];

/** Given to the client of the console only where it is given. */
const elsewhere: readonly OptionName[] = ["qualifyAuthHeader"];

/** All that becomes of options, and the options that were looked at for it. */
function resolve(given: OptionValues) {
  const read = new Set<string | symbol>();
  const values = new Proxy(given, {
    get(target, name) {
      read.add(name);
      return Reflect.get(target, name);
    },
  });
  const configuration: Configuration = {
    ...{ values, given: new Set(), mapping: undefined, steps: [], directory },
    ...{ inputsDirectory: directory, fileName: undefined },
    ...{ hashSalt: undefined, consoleKey: undefined, serverSecret: "secret" },
  };
  const resolved = {
    export: resolveExportOptions(configuration, undefined, machine),
    validate: resolveValidateRequest(configuration, undefined, machine),
    send: resolveSendRequest(configuration, undefined, [], machine),
    service: serviceOptionsOf(values, directory),
    naming: namingOptionsOf(values),
  };
  return { read, resolved };
}

const required: OptionValues = { inputs: ["in"], to: "out", sendTo: "http://127.0.0.1:1" };

const named = optionNames.filter((name) => describeOption(name).default !== undefined);

test("defaults in words are those of options that have one", () => {
  expect(named).toEqual(expect.arrayContaining([...inWords, ...switches, ...elsewhere]));
});

test.each(named.filter((name) => ![...inWords, ...switches, ...elsewhere].includes(name)))(
  "%s without a value is what its help says",
  (name) => {
    const { type, default: words = "" } = describeOption(name);
    const value = type.read(type.fromText(words), (text) => path.resolve(directory, text));
    // A request has several events only as an array.
    const given: OptionValues = name === "batchSize" ? { ...required, body: "array" } : required;
    const { read, resolved } = resolve(given);
    expect(read).toContain(name);
    expect(resolve({ ...given, [name]: value }).resolved).toEqual(resolved);
  },
);

test.each(switches)("%s is off without a value, as its help says", (name) => {
  expect(describeOption(name).default).toBe("off");
});
