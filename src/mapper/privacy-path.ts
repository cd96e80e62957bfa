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

/** Returns true if any path is named. */
export function changesEvents({ drop, hash, cutQuery = [] }: PrivacyPaths): boolean {
  return drop.length + hash.length + cutQuery.length > 0;
}

/** Throws `UsageError` for an unknown path, and for hashes without a salt. */
export function checkPrivacy(paths: PrivacyPaths): void {
  for (const path of [...paths.drop, ...paths.hash]) parsePrivacyPath(path);
  for (const path of paths.cutQuery ?? []) {
    if (!isPropertyPath(path)) throw unknownPath(path, "have its query cut", PROPERTY_PATHS);
  }
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
  const usual = "userID, stableID, value, or a path such as user.email or metadata.card.number";
  throw unknownPath(path, "be dropped or hashed", usual);
}

export const PROPERTY_PATHS = "a path such as metadata.page_url or user.referrer";

/** True for the paths of properties, whose URLs can be cut. */
export function isPropertyPath(path: string): boolean {
  const found = findPrivacyPath(path);
  return found !== undefined && found.cells === undefined;
}

function unknownPath(path: string, action: string, usual: string): UsageError {
  return new UsageError(
    "privacy_path_unknown",
    `${JSON.stringify(path)} cannot ${action}. Use ${usual}.`,
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
