// node scripts/api-page-licenses.mjs: collects the licences of the packages in the renderer of the API
// page into scripts/api-page-licenses.txt. Run it after an update of @scalar/fastify-api-reference, whose
// script contains packages that it does not depend on.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { licenseTexts } from "./licenses.mjs";

const { version } = JSON.parse(
  readFileSync("node_modules/@scalar/fastify-api-reference/package.json", "utf8"),
);
const directory = mkdtempSync(join(tmpdir(), "api-page-licenses-"));
try {
  writeFileSync(join(directory, "package.json"), "{}");
  const reference = `@scalar/api-reference@${version}`;
  const args = ["install", "--ignore-scripts", "--no-audit", "--no-fund", reference];
  const { status } = spawnSync("npm", args, { cwd: directory, stdio: ["ignore", 2, 2] });
  if (status !== 0) throw new Error(`npm ${args.join(" ")} failed`);
  const lock = JSON.parse(readFileSync(join(directory, "node_modules/.package-lock.json"), "utf8"));
  // More packages than the script contains, as nothing tells which these are.
  const packages = Object.keys(lock.packages).map((path) => join(directory, path));
  const texts = licenseTexts(packages);
  const title = `The API page (dist/assets/api-page.js.gz) is ${reference}, with these packages.`;
  writeFileSync("scripts/api-page-licenses.txt", `\n${"=".repeat(80)}\n${title}\n${shared(texts)}`);
} finally {
  rmSync(directory, { recursive: true, force: true });
}

/** Prints a licence that several packages have once, below the names of all of them. */
function shared(texts) {
  const packages = new Map();
  for (const text of texts) {
    const [, head, body] = /^\n-+\n([^\n]*)\n\n(.*)$/s.exec(text);
    packages.set(body, [...(packages.get(body) ?? []), head]);
  }
  return [...packages]
    .map(([body, heads]) => `\n${"-".repeat(80)}\n${heads.join("\n")}\n\n${body}`)
    .join("");
}
