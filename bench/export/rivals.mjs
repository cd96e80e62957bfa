// Rivals that are measured if somebody has installed them:
// npm install --prefix .bench/rivals chdb@3.4.0 nodejs-polars@0.26.1
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { benchDirectory } from "../command.mjs";

/** Directory of packages that the project does not depend on. */
export const rivalsDirectory = join(benchDirectory, "rivals");

/** Contender → its package, and the formats of input for which it does the same work. */
const optional = {
  clickhouse: { name: "chdb", formats: ["ndjson", "csv", "parquet"] },
  polars: { name: "nodejs-polars", formats: ["csv", "parquet"] },
};

const manifestOf = ({ name }) => join(rivalsDirectory, "node_modules", name, "package.json");

/** True if a contender can take part in reading `input` and writing `output`. */
export function takesPart(contender, input, output) {
  const rival = optional[contender];
  if (rival === undefined) return true;
  return output === "parquet" && rival.formats.includes(input) && existsSync(manifestOf(rival));
}

/** One word for each optional rival: its version, or that it is missing. */
export function optionalVersions() {
  return Object.entries(optional).map(([contender, rival]) => {
    const path = manifestOf(rival);
    if (existsSync(path)) return `${contender} ${JSON.parse(readFileSync(path, "utf8")).version}`;
    return `${contender} not installed (npm install --prefix .bench/rivals ${rival.name})`;
  });
}

export function requireRival(name) {
  return createRequire(join(rivalsDirectory, "index.js"))(name);
}
