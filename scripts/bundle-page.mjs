// Bundles the script and the styles of report.html into dist/assets/, where the renderer of the report
// finds them.
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { licenseTexts, packagesOf } from "./licenses.mjs";

const source = "src/page";
const target = "dist/assets";

/** Returns the packages that the page contains. */
export async function bundlePage() {
  const build = await rolldown({
    input: join(source, "report/main.ts"),
    platform: "browser",
    tsconfig: join(source, "tsconfig.json"),
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

  const styles = readdirSync(join(source, "styles")).sort();
  const style = styles.map((name) => readFileSync(join(source, "styles", name), "utf8")).join("");
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
