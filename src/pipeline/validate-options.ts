import { pathType, shareType } from "./configuration-types.js";
import { option } from "./option-description.js";

/** Options of `validate`. */
export const validateOptions = {
  sample: option({
    section: "validate",
    type: shareType,
    description:
      "Read only this share of the inputs, spread over all of them; what cannot be cut is read whole or not at all",
    default: "100%",
  }),
  report: option({
    section: "validate",
    type: pathType,
    placeholder: "<dir>",
    description: "Directory to write the report to, made where it is missing",
    default: "./report",
  }),
} as const;
