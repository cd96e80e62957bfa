import { validText } from "./option-schemas.js";
import { listOf } from "./option-types.js";
import { parseWebhook } from "./option-values.js";

/** Addresses that are told of changes; their paths and queries may be secrets. */
export const webhooksOption = listOf(
  () =>
    validText(
      (text) => parseWebhook(text) !== undefined,
      "an http or https URL, such as https://hooks.example.com/flags",
    ),
  "<url>",
);
