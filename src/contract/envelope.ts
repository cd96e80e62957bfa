import { z } from "zod";
import { pagination } from "./common.js";

/** An answer with one entity. */
export function entityEnvelope<Entity extends z.ZodType>(entity: Entity) {
  return z.object({ message: z.string().describe("Result as text."), data: entity });
}

/** An answer with one page of entities. */
export function listEnvelope<Entity extends z.ZodType>(entity: Entity) {
  return z.object({
    message: z.string().describe("Result as text."),
    data: z.array(entity).describe("Items of the page."),
    pagination,
  });
}

/** An answer without an entity. */
export const messageEnvelope = z.object({ message: z.string().describe("Result as text.") });

/** The body of every answer with a status of 400 or above. */
export const errorBody = z.object({
  status: z.int().describe("HTTP status."),
  message: z.string().describe("Reason of the error."),
  errors: z
    .array(
      z.object({
        property: z.string().describe("Path of the property, with indexes, e.g. `rules[0].name`."),
        errorMessage: z.string().describe("Reason why the property is refused."),
      }),
    )
    .describe("One entry per fault; empty if no property is at fault."),
});

export type ErrorBody = z.output<typeof errorBody>;
