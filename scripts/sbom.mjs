// Writes dist/sbom.cdx.json, which names the packages that the build put into dist/, as npm knows nothing of
// them. The form is CycloneDX 1.6, as that of `npm sbom`, which lists what is installed beside this package.
import { readFileSync, renameSync, writeFileSync } from "node:fs";

const target = "dist/sbom.cdx.json";

/** `packages`: `{ name, version, license }` of each. The same packages give the same bytes. */
export function writeSbom(packages) {
  const { name, version, license, dependencies } = JSON.parse(readFileSync("package.json", "utf8"));
  const components = new Map(packages.map((one) => [purlOf(one), componentOf("library", one)]));
  const sorted = [...components].sort(([a], [b]) => (a < b ? -1 : 1));
  const component = componentOf("application", { name, version, license });
  const properties = Object.entries(dependencies).map(([dependency, range]) => ({
    name: "npm:dependency",
    value: `${dependency}@${range}`,
  }));
  const document = {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component: { ...component, properties } },
    components: sorted.map(([, library]) => library),
  };
  writeFileSync(`${target}.new`, `${JSON.stringify(document, null, 1)}\n`);
  renameSync(`${target}.new`, target);
}

function componentOf(type, { name, version, license }) {
  const [, group, own] = /^(?:(@[^/]+)\/)?(.+)$/.exec(name);
  const purl = purlOf({ name, version });
  const licenses = license === undefined ? [] : [{ expression: license }];
  return { type, "bom-ref": purl, ...(group && { group }), name: own, version, licenses, purl };
}

function purlOf({ name, version }) {
  return `pkg:npm/${name.replace("@", "%40")}@${version}`;
}
