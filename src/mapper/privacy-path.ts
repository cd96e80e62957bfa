import { UsageError } from "../base/errors.js";
import type { PrivacyPaths } from "./mapper-options.js";

export type IdColumn = "userID" | "stableID";
export type ObjectColumn = "user" | "metadata";

/** A path of the event, resolved to columns. */
export interface PrivacyPath {
  /** The column whose whole cells it is about. */
  readonly cells?: IdColumn | "value";
  /** The column inside whose objects it is about, and the names of members from there on. */
  readonly objects?: ObjectColumn;
  readonly names: readonly string[];
}

/** Throws `UsageError` for a path that no event has, and for hashes without a salt. */
export function checkPrivacy(paths: PrivacyPaths): void {
  for (const path of [...paths.drop, ...paths.hash]) parsePrivacyPath(path);
  if (paths.hash.length > 0 && !paths.salt) {
    throw new UsageError(
      "salt_missing",
      "Hashing needs a salt: without one, ids can be found out by trying. " +
        "Give a secret that stays the same from run to run.",
    );
  }
}

/** An id by its short name, whether it is named as such or as a member of the user. */
export function shortenIdPath(path: string): string {
  return path.replace(/^user\.(userID|stableID)$/, "$1");
}

/** True for the paths that can be dropped or hashed. */
export function isPrivacyPath(path: string): boolean {
  return findPrivacyPath(path) !== undefined;
}

/** Throws `UsageError` for a path that no event has. */
export function parsePrivacyPath(path: string): PrivacyPath {
  const found = findPrivacyPath(path);
  if (found !== undefined) return found;
  throw new UsageError(
    "privacy_path_unknown",
    `${JSON.stringify(path)} cannot be dropped or hashed. ` +
      "Give userID, stableID, value, or a path such as user.email or metadata.card.number.",
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
