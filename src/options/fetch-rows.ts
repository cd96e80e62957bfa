import { z } from "zod";
import { once } from "../base/once.js";
import { daysOption } from "./days-option.js";
import { validText } from "./option-schemas.js";
import * as type from "./option-types.js";

/** The vendors that `fetch` asks. */
export const fetchVendors = ["amplitude", "mixpanel", "posthog"] as const;

/** Word for the newest time that a vendor promises to be complete. */
export const NOW = "now";

const timeOrNow = {
  ...type.time,
  schema: once(() => z.union([z.literal(NOW), type.time.schema()])),
};

/** The options of the section `fetch`; part of `optionTable`. */
export const fetchRows = {
  vendor: {
    section: "fetch",
    type: type.choice(fetchVendors),
    flag: false,
    description: "Vendor whose export API is asked",
  },
  fetchFrom: {
    section: "fetch",
    key: "from",
    type: type.time,
    description: "First day or hour to fetch, in UTC",
  },
  fetchUntil: {
    section: "fetch",
    key: "until",
    type: timeOrNow,
    description: "Day or hour at which to stop, not included, or now",
    default: NOW,
  },
  recheck: {
    section: "fetch",
    type: daysOption,
    description:
      "Days before the end whose windows are fetched again, such as 10d, for late events",
    otherwise: "none",
  },
  fetchTo: {
    section: "fetch",
    key: "to",
    type: { ...type.output, words: [] },
    description: "Directory or store address for the files",
  },
  region: {
    section: "fetch",
    type: type.choice(["us", "eu", "in"]),
    description: "Region in which the vendor keeps the project",
    default: "us",
  },
  project: {
    section: "fetch",
    type: type.textType(
      () =>
        validText((text) => /^[\w-]{1,100}$/.test(text), "the ID of a project, such as 2195193"),
      "<id>",
    ),
    description: "ID of the project, for Mixpanel and PostHog",
  },
  fetchHost: {
    section: "fetch",
    key: "host",
    type: type.url,
    description: "Base URL of the API, instead of that of the region",
  },
} as const;
