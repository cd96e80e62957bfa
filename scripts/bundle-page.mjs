// Bundles what report.html runs and looks like into two texts, which the report's renderer puts into the
// page: dist/report/html/page.js and page.css.
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { licenseTexts } from "./licenses.mjs";

const source = "src/report/html/client";
const target = "dist/report/html";

const build = await rolldown({
  input: join(source, "main.ts"),
  platform: "browser",
  tsconfig: join(source, "tsconfig.json"),
});
const { output } = await build.generate({ format: "iife", minify: true });
await build.close();
const [chunk, ...others] = output;
if (others.length > 0) throw new Error("the page must be one script");

// The page is passed on by itself, so it carries the licences of what is in it.
const licenses = licenseTexts(chunk.moduleIds).join("\n").replaceAll("*/", "* /");
const script = `/*!\nThis page contains the packages below.\n${licenses}*/\n${chunk.code}`;
// Inside of a script element these would end it, or begin what has another end.
if (/<\/script|<!--/i.test(script)) throw new Error("the script would end its element early");

const styles = readdirSync(join(source, "styles")).sort();
const style = styles.map((name) => readFileSync(join(source, "styles", name), "utf8")).join("");
if (/<\/style/i.test(style)) throw new Error("the style would end its element early");

mkdirSync(target, { recursive: true });
for (const [name, text] of Object.entries({ "page.css": style, "page.js": script })) {
  writeFileSync(join(target, `${name}.new`), text);
  renameSync(join(target, `${name}.new`), join(target, name));
}
