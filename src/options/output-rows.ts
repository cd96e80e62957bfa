import * as type from "./option-types.js";

/** Options of what commands print and report; part of `optionTable`. */
export const outputRows = {
  metrics: {
    replaces: "metricsPort metricsHost",
    type: type.address,
    description: "Address for Prometheus during the run, such as 9464 or 0.0.0.0:9464",
    otherwise: "no metrics",
  },
  notify: {
    type: type.webhook,
    description: "POST the result as a JSON object to this address",
  },
  authHeader: {
    replaces: "sendAuthHeader qualifyAuthHeader",
    type: type.header,
    description: "Header that carries the key of a request",
    default: "SERVICE-API-KEY",
  },
  json: {
    replaces: "logFormat",
    type: type.jsonOutput,
    description: "Print the result as JSON, with --json=log all output",
    default: false,
  },
  quiet: {
    ...type.off,
    description: "Do not print progress and summary",
  },
  color: {
    type: type.onOff,
    description: "Print in colour if the terminal supports it",
    negation: "Print without colour, as with NO_COLOR=1",
    default: true,
  },
} satisfies Readonly<Record<string, type.OptionRow>>;
