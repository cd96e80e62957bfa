import { z } from "zod";
import { pagination } from "./common.js";

/** Answer with one entity. */
export function entityEnvelope<Entity extends z.ZodType>(entity: Entity) {
  return z.object({ message: z.string().describe("Result in words."), data: entity });
}

/** Answer with one page of entities. */
export function listEnvelope<Entity extends z.ZodType>(entity: Entity) {
  return z.object({
    message: z.string().describe("Result in words."),
    data: z.array(entity).describe("At most one page."),
    pagination,
  });
}

/** Answer without an entity. */
export const messageEnvelope = z.object({ message: z.string().describe("Result in words.") });

/** Body of every answer with status 400 and above. */
export const errorBody = z.object({
  status: z.int().describe("HTTP status."),
  message: z.string().describe("What went wrong."),
  errors: z
    .array(
      z.object({
        property: z.string().describe("Where: a path with indexes, e.g. `rules[0].name`."),
        errorMessage: z.string().describe("What is wrong there."),
      }),
    )
    .describe("One entry per fault; empty where no property is at fault."),
});

export type ErrorBody = z.output<typeof errorBody>;
