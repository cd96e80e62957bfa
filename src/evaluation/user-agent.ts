import { UAParser } from "ua-parser-js";

const agentFields = {
  os_name: ({ os }: UAParser.IResult) => (os.name === "Mac OS" ? "Mac OS X" : os.name),
  os_version: ({ os }: UAParser.IResult) => os.version,
  browser_name: ({ browser, device }: UAParser.IResult) => {
    const isMobile = device.type === "mobile" || device.type === "tablet";
    const hasMobile = browser.name === "Chrome" || browser.name === "Firefox";
    return isMobile && hasMobile ? `${browser.name} Mobile` : browser.name;
  },
  browser_version: ({ browser }: UAParser.IResult) => browser.version,
} as const;

type AgentField = keyof typeof agentFields;

let last: { readonly agent: string; readonly result: UAParser.IResult } | undefined;

/** Returns a field of a user agent, with the names that SDKs give; undefined if it does not tell. */
export function agentValue(agent: string, field: string): string | undefined {
  const read = Object.hasOwn(agentFields, field) ? agentFields[field as AgentField] : undefined;
  if (read === undefined) return undefined;
  // All gates are often asked for one user.
  if (last?.agent !== agent) last = { agent, result: UAParser(agent) };
  return read(last.result);
}
