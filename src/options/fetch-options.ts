import { DAY_MS, HOUR_MS } from "../base/day.js";
import { UsageError } from "../base/errors.js";
import { omitUndefined } from "../base/omit-undefined.js";
import { option } from "../base/option-text.js";
import type { OutputPlace } from "../output/output-place.js";
import type { Configuration } from "./configuration.js";
import { type fetchVendors, NOW } from "./fetch-rows.js";
import { placeOf, valuesOf } from "./run-options.js";
import { type Environment, readVendorKey } from "./secrets.js";

/** The options of `fetch`. Times in ms since 1970. */
interface FetchRequest {
  readonly vendor: (typeof fetchVendors)[number];
  readonly from: number;
  /** Exclusive. */
  readonly until: number | typeof NOW;
  /** Days before the end whose windows are fetched again. */
  readonly recheck?: number;
  readonly place: OutputPlace;
  readonly region: "us" | "eu" | "in";
  /** Empty for vendors whose keys belong to one project. */
  readonly project: string;
  readonly host?: string;
  /** The secrets of the vendor, by variable. */
  readonly secrets: Readonly<Record<string, string>>;
}

interface VendorNeeds {
  /** The variables that hold its keys. */
  readonly keys: readonly string[];
  readonly unitMs: number;
  readonly unit: string;
  readonly hasProject: boolean;
  readonly regions: readonly FetchRequest["region"][];
}

const needs: Readonly<Record<FetchRequest["vendor"], VendorNeeds>> = {
  amplitude: {
    keys: ["AMPLITUDE_API_KEY", "AMPLITUDE_SECRET_KEY"],
    unitMs: HOUR_MS,
    unit: "hour",
    hasProject: false,
    regions: ["us", "eu"],
  },
  mixpanel: {
    keys: ["MIXPANEL_USERNAME", "MIXPANEL_SECRET"],
    unitMs: DAY_MS,
    unit: "day",
    hasProject: true,
    regions: ["us", "eu", "in"],
  },
  posthog: {
    keys: ["POSTHOG_PERSONAL_API_KEY"],
    unitMs: HOUR_MS,
    unit: "hour",
    hasProject: true,
    regions: ["us", "eu"],
  },
};

/** Throws `UsageError` for what is missing or contradicts itself. */
export async function resolveFetch(
  configuration: Configuration,
  environment: Environment,
): Promise<FetchRequest> {
  const values = valuesOf(configuration);
  const { vendor, fetchFrom: from, fetchUntil: until, fetchTo: to, region, fetchHost } = values;
  if (vendor === undefined)
    throw missing("vendor", "name one, such as `switchyard fetch amplitude`");
  if (from === undefined) throw missing("first day", `pass ${option("from")}`);
  if (to === undefined) {
    throw new UsageError("output_missing", `Pass ${option("to")}: a directory for the files.`);
  }
  const { keys, hasProject, regions, ...unit } = needs[vendor];
  for (const time of [from, until]) requireUnits(time, unit);
  if (hasProject && values.project === undefined) {
    throw missing("project", `pass ${option("project")} <id>`);
  }
  if (!regions.includes(region)) {
    throw new UsageError(
      "fetch_incomplete",
      `${vendor} has no region ${region}: pass ${option("region")} ${regions.join(" or ")}.`,
    );
  }
  if (until !== NOW && until <= from) {
    throw new UsageError(
      "fetch_span_invalid",
      `${option("until")} must be after ${option("from")}: it is not included.`,
    );
  }
  const readKey = async (name: string) => [name, await readVendorKey(environment, name)] as const;
  return {
    vendor,
    from,
    until,
    place: placeOf(configuration, to),
    region,
    ...omitUndefined({ host: fetchHost, recheck: values.recheck }),
    project: values.project ?? "",
    secrets: Object.fromEntries(await Promise.all(keys.map(readKey))),
  };
}

function requireUnits(
  time: number | typeof NOW,
  { unitMs, unit }: Pick<VendorNeeds, "unitMs" | "unit">,
): void {
  if (time === NOW || time % unitMs === 0) return;
  const text = new Date(time).toISOString();
  throw new UsageError(
    "fetch_span_invalid",
    `${text} is not the beginning of a whole ${unit} in UTC.`,
  );
}

function missing(what: string, advice: string): UsageError {
  return new UsageError("fetch_incomplete", `The ${what} is missing: ${advice}.`);
}
