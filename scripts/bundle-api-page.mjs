// Puts the renderer of the API page into dist/assets/, compressed as the service sends it. It is Scalar's
// API reference: one script, which its package for fastify carries as a string.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { runInNewContext } from "node:vm";
import { gzipSync } from "node:zlib";

const require = createRequire(import.meta.url);
const target = "dist/assets/api-page.js.gz";

/** Returns the packages that the script contains. */
export async function bundleApiPage() {
  const module = readFileSync(require.resolve("@scalar/fastify-api-reference"), "utf8");
  const [, literal] = /^var standalone_default = ("(?:[^"\\]|\\.)*");$/m.exec(module) ?? [];
  if (literal === undefined)
    throw new Error("@scalar/fastify-api-reference has no standalone script");
  mkdirSync("dist/assets", { recursive: true });
  writeFileSync(`${target}.new`, gzipSync(runInNewContext(literal), { level: 9 }));
  renameSync(`${target}.new`, target);
  const heads = apiPageLicenses().matchAll(/^((?:@[\w.-]+\/)?[\w.-]+) (\d\S*) \((.+)\)$/gm);
  return [...heads].map(([, name, version, license]) => ({ name, version, license }));
}

/** Returns the licences of the packages in the script, as `npm run licenses:api-page` collected them. */
export function apiPageLicenses() {
  return readFileSync("scripts/api-page-licenses.txt", "utf8");
}
