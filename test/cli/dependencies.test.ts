import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const { dependencies, devDependencies } = JSON.parse(
  readFileSync(`${root}package.json`, "utf8"),
) as { dependencies: Record<string, string>; devDependencies: Record<string, string> };

test("a package is installed beside Switchyard only if the bundle leaves it out", async () => {
  const { external } = (await import(`${root}scripts/bundle.mjs`)) as { external: string[] };
  expect(Object.keys(dependencies).sort()).toEqual([...external].sort());
});

test("src/ imports every production dependency", () => {
  // The report's page is bundled when the package is built.
  const files = readdirSync(`${root}src`, { recursive: true, encoding: "utf8" }).filter(
    (name) => name.endsWith(".ts") && !/^(kernels|report\/html\/client)\//.test(name),
  );
  const imported = files
    .map((name) => readFileSync(`${root}src/${name}`, "utf8"))
    .flatMap((source) => [
      ...source.matchAll(
        /(?:\bfrom|\bimport|\bimport\(|\brequire\() ?"((?:@[\w-]+\/)?[\w-][\w.-]*)["/]/g,
      ),
    ])
    .map(([, name = ""]) => name);
  expect(Object.keys(dependencies).filter((name) => !imported.includes(name))).toEqual([]);
});

test("ARCHITECTURE.md says what each package is for", () => {
  const text = readFileSync(`${root}ARCHITECTURE.md`, "utf8");
  const [, packages = ""] = /^## Packages\n(.*?)^## /ms.exec(text) ?? [];
  const rows = [...packages.matchAll(/^\| (.*?) \|/gm)].map(([, names = ""]) => names);
  const named = new Set(rows.flatMap((names) => names.replace(/ \(.*\)/, "").split(", ")));
  const all = [...Object.keys(dependencies), ...Object.keys(devDependencies)];
  // Types come with their package.
  const missing = all.filter((name) => !named.has(name) && !name.startsWith("@types/"));
  expect(missing).toEqual([]);
});
