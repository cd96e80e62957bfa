// Bundles the browser code into dist/assets/: the script and the styles of report.html, where
// the renderer of the report finds them, and the web console, as the service sends it.
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { rolldown } from "rolldown";
import { licenseTexts, packagesOf } from "./licenses.mjs";
import { pageOperations } from "./page-operations.mjs";

const target = "dist/assets";
const tsconfig = "tsconfig.browser.json";
/** The styles of both pages; the others in their directory are of the web console alone. */
const sharedStyles = ["10-base.css", "12-tables.css", "14-charts.css"].map(
  (name) => `src/ui/styles/${name}`,
);

/** Returns the packages that the page of reports contains. */
export async function bundleReportPage() {
  const build = await rolldown({
    input: "src/report-page/main.tsx",
    platform: "browser",
    tsconfig,
  });
  const { output } = await build.generate({ format: "iife", minify: true });
  await build.close();
  const [chunk, ...others] = output;
  if (others.length > 0) throw new Error("the page must be one script");

  // The page is passed on alone, so it carries the licences of the packages that it contains.
  const licenses = licenseTexts(chunk.moduleIds).join("\n").replaceAll("*/", "* /");
  const script = `/*!\nThis page contains the packages below.\n${licenses}*/\n${chunk.code}`;
  // These would end the script element, or begin a comment in it.
  if (/<\/script|<!--/i.test(script)) throw new Error("the script would end its element early");

  const style = sharedStyles.map(textOf).join("") + stylesIn("src/report-page/styles");
  if (/<\/style/i.test(style)) throw new Error("the style would end its element early");

  mkdirSync(target, { recursive: true });
  for (const [name, text] of Object.entries({
    "report-page.css": style,
    "report-page.js": script,
  })) {
    writeFileSync(join(target, `${name}.new`), text);
    renameSync(join(target, `${name}.new`), join(target, name));
  }
  return packagesOf(chunk.moduleIds);
}

/**
 * Writes the web console: its document and, compressed, the files that it loads. Their names have a digest
 * of their content, so browsers may keep them for ever. Returns the packages that it contains.
 */
export async function bundleConsolePage() {
  const build = await rolldown({
    input: { main: "src/page/main.tsx" },
    platform: "browser",
    tsconfig,
    plugins: [pageOperations()],
  });
  const { output } = await build.generate({
    format: "esm",
    minify: true,
    entryFileNames: "[name]-[hash].js",
    chunkFileNames: "[name]-[hash].js",
  });
  await build.close();
  const style = stylesIn("src/ui/styles");
  const styleName = `style-${createHash("sha256").update(style).digest("hex").slice(0, 8)}.css`;
  const files = new Map(output.map(({ fileName, code }) => [fileName, code]));
  files.set(styleName, style);

  const document = readFileSync("src/page/index.html", "utf8")
    .replace("style.css", styleName)
    .replace("main.js", output[0].fileName);
  const directory = join(target, "console");
  const fresh = `${directory}.new`;
  rmSync(fresh, { recursive: true, force: true });
  mkdirSync(fresh, { recursive: true });
  writeFileSync(join(fresh, "index.html"), document);
  const modules = output.flatMap(({ moduleIds }) => moduleIds);
  writeFileSync(join(fresh, "LICENSES.txt"), licenseTexts(modules).join(""));
  for (const [name, text] of files) {
    writeFileSync(join(fresh, `${name}.gz`), gzipSync(text, { level: 9 }));
  }
  rmSync(directory, { recursive: true, force: true });
  renameSync(fresh, directory);
  return packagesOf(modules);
}

function stylesIn(directory) {
  const names = readdirSync(directory).sort();
  return names.map((name) => textOf(join(directory, name))).join("");
}

function textOf(file) {
  return readFileSync(file, "utf8");
}
