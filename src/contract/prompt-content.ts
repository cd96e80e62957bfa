import { z } from "zod";
import { entityEnvelope } from "./common.js";
import { descriptionText, list, nameLike, numeric, text } from "./fields.js";
import { consoleRoutes, extension, idParams, noQuery } from "./route.js";

const roles = ["system", "user", "assistant"] as const;

const message = z.object({
  role: z.enum(roles).describe("Speaker of the message."),
  content: text("Text of the message. Applications fill in variables."),
});

/** The messages of a prompt to a model, and how the model is called. */
const content = z
  .object({
    name: nameLike(/^[a-zA-Z0-9_\-. ]*$/, "Name of this content."),
    description: descriptionText,
    prompts: list(message).describe("Messages, in order."),
    provider: text("Provider of the model."),
    model: text("Model that answers."),
    eval_model: text("Model that judges answers."),
    temperature: numeric("Temperature of the model.", { min: 0, max: 2 }),
    top_p: numeric("Probability mass of the tokens that are considered.", { min: 0, max: 1 }),
    frequency_penalty: numeric("Penalty of frequent tokens.", { min: -2, max: 2 }),
    presence_penalty: numeric("Penalty of tokens that have occurred.", { min: -2, max: 2 }),
    max_tokens: numeric("Maximum number of tokens of an answer.", { integer: true, min: 1 }),
  })
  .exactPartial()
  .required({ name: true });

const contentVersion = z.int().describe("Version of the prompt that has this content.");

export const promptContentFields = {
  content: content.nullable().describe("The newest content; null before the first."),
  published: z
    .object({ version: contentVersion, content: content.describe("The published content.") })
    .nullable()
    .describe("The published content, which applications use; null for none."),
};

const versionedContent = content
  .extend({ version: contentVersion })
  .describe("The content of a version of a prompt.");

const publish = z.object({
  version: numeric("Version whose content is published.", { integer: true, min: 1 }),
});

export type PromptContent = z.output<typeof content>;

/** Returns the routes of the content of prompts. */
export function promptContentRoutes<Entity extends z.ZodType>(entity: Entity) {
  const onPrompt = consoleRoutes("Prompts", "/console/v1/prompts/{id}", idParams);
  const response = entityEnvelope(versionedContent);
  return {
    createPromptVersion: onPrompt("POST", "/versions", "Give a prompt a new content", {
      ...extension,
      status: 201,
      message: "Prompt version created successfully.",
      body: content,
      response,
    }),
    publishPrompt: onPrompt("PUT", "/publish", "Publish the content of a version of a prompt", {
      ...extension,
      message: "Prompt updated successfully.",
      body: publish,
      response: entityEnvelope(entity),
    }),
    readPublishedPrompt: onPrompt("GET", "/published", "Read the published content of a prompt", {
      ...extension,
      message: "Prompt version read successfully.",
      query: noQuery,
      response,
    }),
  };
}
