import { z } from "zod";
import { messageEnvelope, pageQuery, queryNumber } from "./common.js";
import { list, text } from "./fields.js";
import { consoleRoutes, extension, noParams, type Route } from "./route.js";

/** Days without a change, or without another answer, after which a gate is stale. */
const STALE_DAYS = 30;
const STALE_DAYS_MAX = 365;

/** Why a gate is stale, in the words of the platform. */
const staleReasons = ["STALE_ALL_TRUE", "STALE_ALL_FALSE", "STALE_PROBABLY_DEAD_CHECK"] as const;

const count = (description: string) => z.int().describe(description);
const time = (description: string) => z.int().describe(`${description}, in ms since the epoch`);

const staleGate = z.object({
  id: text("Identifier of the gate."),
  name: text("Name of the gate."),
  typeReason: z
    .enum(staleReasons)
    .describe("All exposures had this answer, or there was none: nobody asks for the gate."),
  trueExposures: count("Exposures with the answer true within the days."),
  falseExposures: count("Exposures with the answer false within the days."),
  lastExposureTime: time("Last exposure that is known; null for none").nullable(),
  lastModifiedTime: time("Last change"),
  createdTime: time("Creation"),
  referrers: count("Entities that refer to the gate."),
});

export type StaleGate = z.output<typeof staleGate>;

const query = z.object({
  days: queryNumber(
    "Days for which a gate must have given one answer, or none.",
    1,
    STALE_DAYS_MAX,
  ).default(STALE_DAYS),
  limit: pageQuery.shape.limit,
  cursor: z
    .string()
    .regex(/^\d{1,9}$/)
    .describe("`nextCursor` of the page before; the first page by default.")
    .exactOptional(),
});

/** Gates that can probably be removed. */
export const staleGateRoutes = {
  listStaleGates: consoleRoutes("Gates", "/console/v1/stale_gates", noParams)(
    "GET",
    "",
    "List gates that gave one answer to everybody, or that nobody asked for",
    {
      ...extension,
      message: "Stale gates listed successfully.",
      query,
      response: messageEnvelope.extend({
        data: list(staleGate).describe("Newest creation first."),
        nextCursor: z
          .string()
          .nullable()
          .describe("Cursor of the next page; null on the last page."),
      }),
    },
  ),
} satisfies Record<string, Route>;
