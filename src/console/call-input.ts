import { UsageError } from "../base/errors.js";
import { noBody, type Route } from "../contract/route.js";
import type { CallOptions } from "./operation.js";

/** Inputs of a call by name: path, query, `body`, and options. */
export type CallInput = CallOptions & Readonly<Record<string, unknown>>;

const options: readonly (keyof CallOptions)[] = ["ifMatch", "signal"];

/**
 * Throws `UsageError` for inputs that the route does not have, for a path without its parts, and for a
 * missing body. A filter that is ignored would return the wrong entities, and an id of `..` is another path.
 */
export function requireInput(route: Route, input: CallInput): void {
  const parts = Object.keys(route.params.shape);
  const takesBody = route.body !== noBody;
  const known = [...parts, ...Object.keys(route.query.shape), ...(takesBody ? ["body"] : [])];
  for (const name of Object.keys(input)) {
    if (known.includes(name) || options.some((option) => option === name)) continue;
    throw refused(route, `has no input ${name}; known: ${[...known, ...options].join(", ")}`);
  }
  for (const part of parts) {
    const value = input[part];
    if (typeof value !== "string" && typeof value !== "number") {
      throw refused(route, `needs ${part}, a text`);
    }
    if (["", ".", ".."].includes(String(value))) {
      throw refused(route, `cannot take ${JSON.stringify(value)} as ${part}: it is another path`);
    }
  }
  if (input["body"] === undefined && takesBody && !route.body.safeParse(undefined).success) {
    throw refused(route, "needs a body");
  }
}

function refused({ method, path }: Route, fault: string): UsageError {
  return new UsageError("console_input_invalid", `${method} ${path} ${fault}.`);
}
