import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Returns `{ directory, name, version, license, author }` of every package that these modules are from. */
export function packagesOf(moduleIds) {
  const directories = moduleIds.map(
    (id) => /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(id)?.[0],
  );
  const found = [...new Set(directories)].filter((directory) => directory !== undefined);
  return found.map((directory) => {
    const manifest = JSON.parse(readFileSync(join(directory, "package.json"), "utf8"));
    const { name, version, license, author } = manifest;
    return { directory, name, version, license, author };
  });
}

/** Returns the licence text of every package that these modules are from. */
export function licenseTexts(moduleIds) {
  return [...new Set(packagesOf(moduleIds).map(licenseText))].sort();
}

function licenseText({ directory, name, version, license, author }) {
  const files = readdirSync(directory).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file));
  const texts = files.map((file) => readFileSync(join(directory, file), "utf8").trim());
  if (texts.length === 0) {
    texts.push(
      `Copyright ${author?.name ?? author ?? name}. The package carries no text of its licence.`,
    );
  }
  return `\n${"-".repeat(80)}\n${name} ${version} (${license})\n\n${texts.join("\n\n")}\n`;
}
