import * as type from "./option-types.js";

/** Forms of what commands print. */
const logFormats = ["text", "json"] as const;

/** Options of what commands print and report; part of `optionTable`. */
export const outputRows = {
  metricsPort: {
    type: type.count(0, 65_535),
    placeholder: "<port>",
    description: "Port for Prometheus metrics at /metrics during the run, or 0 for a free one",
    otherwise: "no metrics",
  },
  metricsHost: {
    type: type.text,
    placeholder: "<host>",
    description: "Address for --metrics-port",
    default: "127.0.0.1",
  },
  notify: {
    type: type.webhook,
    description: "POST the result as a JSON object to this address",
  },
  logFormat: {
    type: type.choice(logFormats),
    placeholder: "<format>",
    description: "Format of all output",
    default: "text",
  },
  json: {
    ...type.off,
    description: "Print the result as one JSON object on standard output",
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
