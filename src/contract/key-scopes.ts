import type { Route } from "./route.js";
import { routes } from "./routes.js";

/** Returns the part of the console API that a path belongs to: `gates` for `/console/v1/gates/{id}`. */
export function areaOf(path: Route["path"]): string {
  const [, root, second = "", third = ""] = path.split("/");
  return root === "console" ? third : second;
}

/**
 * All scopes of console keys. `read` and `write` are for the whole console API, `gates:read` and
 * `gates:write` for one part of it. A scope to write includes that to read.
 */
export function keyScopes(): readonly string[] {
  const console = Object.values<Route>(routes).filter(
    ({ access, right }) => access === "console" && right !== "none",
  );
  const areas = [...new Set(console.map(({ path }) => areaOf(path)))].sort();
  return ["read", "write", ...areas.flatMap((area) => [`${area}:read`, `${area}:write`])];
}

/** Returns true if one of the scopes is for reading, or writing, a part of the console API. */
export function allows(scopes: readonly string[], area: string, what: "read" | "write"): boolean {
  const opening = [what, `${area}:${what}`, "write", `${area}:write`];
  return scopes.some((scope) => opening.includes(scope));
}
