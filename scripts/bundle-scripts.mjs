// Bundles scripts that import src/ and run in processes or threads of tests and benchmarks.
import { isAbsolute } from "node:path";
import { rolldown } from "rolldown";

/** Writes each script of `input` (name → file) to `directory`, where packages are still found. */
export async function bundleScripts(input, directory) {
  const build = await rolldown({
    input,
    platform: "node",
    tsconfig: "tsconfig.json",
    external: (id) => !id.startsWith(".") && !isAbsolute(id),
  });
  await build.write({ dir: directory });
  await build.close();
}
