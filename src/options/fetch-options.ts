import { HOUR_MS } from "../base/day.js";
import { UsageError } from "../base/errors.js";
import { omitUndefined } from "../base/omit-undefined.js";
import { option } from "../base/option-text.js";
import type { OutputPlace } from "../output/output-place.js";
import type { Configuration } from "./configuration.js";
import { type fetchVendors, NOW } from "./fetch-rows.js";
import { placeOf, valuesOf } from "./run-options.js";
import type { Environment } from "./secrets.js";

/** The options of `fetch`. Times in ms since 1970. */
export interface FetchRequest {
  readonly vendor: (typeof fetchVendors)[number];
  readonly from: number;
  /** Exclusive. */
  readonly until: number | typeof NOW;
  readonly place: OutputPlace;
  readonly region: "us" | "eu";
  readonly host?: string;
  /** The secrets of the vendor, by variable. */
  readonly secrets: Readonly<Record<string, string>>;
}

/** The variables that hold the keys of a vendor. */
const keyVariables = {
  amplitude: ["AMPLITUDE_API_KEY", "AMPLITUDE_SECRET_KEY"],
} as const satisfies Record<FetchRequest["vendor"], readonly string[]>;

/** Throws `UsageError` for what is missing or contradicts itself. */
export function resolveFetch(configuration: Configuration, environment: Environment): FetchRequest {
  const values = valuesOf(configuration);
  const { vendor, fetchFrom: from, fetchUntil: until, fetchTo: to, region, fetchHost } = values;
  if (vendor === undefined)
    throw missing("vendor", "name one, such as `switchyard fetch amplitude`");
  if (from === undefined) throw missing("first day", `pass ${option("from")}`);
  if (to === undefined) {
    throw new UsageError("output_missing", `Pass ${option("to")}: a directory for the files.`);
  }
  for (const time of [from, until]) requireHour(time);
  if (until !== NOW && until <= from) {
    throw new UsageError(
      "fetch_span_invalid",
      `${option("until")} must be after ${option("from")}: it is not included.`,
    );
  }
  return {
    vendor,
    from,
    until,
    place: placeOf(configuration, to),
    region,
    ...omitUndefined({ host: fetchHost }),
    secrets: Object.fromEntries(
      keyVariables[vendor].map((name) => [name, requireKey(environment, name)]),
    ),
  };
}

function requireHour(time: number | typeof NOW): void {
  if (time === NOW || time % HOUR_MS === 0) return;
  const text = new Date(time).toISOString();
  throw new UsageError("fetch_span_invalid", `${text} is not a whole hour in UTC.`);
}

function requireKey(environment: Environment, name: string): string {
  const key = environment[name]?.trim() ?? "";
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  const what = key === "" ? "is not set" : "has a character that no key has";
  throw new UsageError("vendor_key_missing", `${name} ${what}. Set it in the environment.`);
}

function missing(what: string, advice: string): UsageError {
  return new UsageError("fetch_incomplete", `The ${what} is missing: ${advice}.`);
}
