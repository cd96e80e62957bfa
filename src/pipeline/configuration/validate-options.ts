import { pathType, shareType, switchType } from "./configuration-types.js";
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
  apply: option({
    section: "validate",
    type: switchType,
    description:
      "Write the safe fixes of what was found into the configuration file, after the difference is shown",
    default: "off",
  }),
} as const;
