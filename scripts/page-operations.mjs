// The web console calls the API by the names of its operations. This plugin gives it the method, the path
// and the query of each, and the descriptions of fields, from the contract: the schemas themselves would be
// most of the page.
import { pathToFileURL } from "node:url";
import { rolldown } from "rolldown";

const name = "virtual:operations";

export function pageOperations() {
  return {
    name: "page-operations",
    resolveId: (id) => (id === name ? `\0${name}` : null),
    load: async (id) => (id === `\0${name}` ? operationsModule() : null),
  };
}

async function operationsModule() {
  const { routes } = await contract();
  const operations = Object.entries(routes)
    .filter(([, { access, path }]) => access === "console" || path === "/console/v1/session")
    .map(([name, { method, path, query }]) => [name, [method, path, Object.keys(query.shape)]]);
  return `export const operations = ${JSON.stringify(Object.fromEntries(operations))};`;
}

/** Returns the contract as a program, bundled for this build. */
async function contract() {
  const build = await rolldown({ input: "src/contract/routes.ts", platform: "node" });
  const file = "dist/.contract.mjs";
  await build.write({ format: "esm", file, codeSplitting: false });
  await build.close();
  return import(`${pathToFileURL(file)}?${process.hrtime.bigint()}`);
}
