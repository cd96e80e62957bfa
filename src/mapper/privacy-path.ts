import { UsageError } from "../base/errors.js";
import type { PrivacyPaths } from "./mapper-options.js";

export type IdColumn = "userID" | "stableID";
export type ObjectColumn = "user" | "metadata";

/** A path of the event, resolved to columns. */
export interface PrivacyPath {
  /** The column whose whole cells it covers. */
  readonly cells?: IdColumn | "value";
  /** The column of objects that it leads into. */
  readonly objects?: ObjectColumn;
  /** Names of members within those objects. */
  readonly names: readonly string[];
}

/** Throws `UsageError` for an unknown path, and for hashes without a salt. */
export function checkPrivacy(paths: PrivacyPaths): void {
  for (const path of [...paths.drop, ...paths.hash]) parsePrivacyPath(path);
  if (paths.hash.length > 0 && !paths.salt) {
    throw new UsageError(
      "salt_missing",
      "Hashing needs a salt: without one, ids can be guessed. " +
        "Pass a secret that is the same in every run.",
    );
  }
}

/** Shortens `user.userID` and `user.stableID` to the name of the id. */
export function shortenIdPath(path: string): string {
  return path.replace(/^user\.(userID|stableID)$/, "$1");
}

/** True for the paths that can be dropped or hashed. */
export function isPrivacyPath(path: string): boolean {
  return findPrivacyPath(path) !== undefined;
}

/** Parses a path of the event. Throws `UsageError` for an unknown one. */
export function parsePrivacyPath(path: string): PrivacyPath {
  const found = findPrivacyPath(path);
  if (found !== undefined) return found;
  throw new UsageError(
    "privacy_path_unknown",
    `${JSON.stringify(path)} cannot be dropped or hashed. ` +
      "Use userID, stableID, value, or a path such as user.email or metadata.card.number.",
  );
}

function findPrivacyPath(path: string): PrivacyPath | undefined {
  const short = shortenIdPath(path);
  if (short === "userID" || short === "stableID") {
    return { cells: short, objects: "user", names: [short] };
  }
  if (short === "value") return { cells: "value", names: [] };
  const [root, ...names] = short.split(".");
  if ((root === "user" || root === "metadata") && names.length > 0 && !names.includes("")) {
    return { objects: root, names };
  }
  return undefined;
}
