import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));

test("src/ imports every production dependency", () => {
  const text = readFileSync(`${root}package.json`, "utf8");
  const { dependencies } = JSON.parse(text) as { dependencies: Record<string, string> };
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
