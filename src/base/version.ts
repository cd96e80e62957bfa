import { readFileSync } from "node:fs";

/** The version in package.json, which lies two levels up from src/base and dist/base alike. */
export const version: string = JSON.parse(
  readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
).version;
