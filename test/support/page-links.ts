import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

/** Pages of a directory, without those of packages below it. */
export function pagesIn(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, encoding: "utf8" }).filter(
    (name) => name.endsWith(".md") && !name.includes("node_modules"),
  );
}

/** Links of a page that lead to no file of `root`, or to no heading of it. */
export function deadLinks(root: string, page: string): readonly string[] {
  const text = readFileSync(join(root, page), "utf8");
  const links = [...text.matchAll(/\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]+))?\)/g)];
  return links.flatMap(([link, path = "", heading]) => {
    const target = path === "" ? page : join(dirname(page), path);
    const isOutside = relative(root, join(root, target)).startsWith("..");
    if (isOutside || !existsSync(join(root, target))) return [link];
    if (heading === undefined || !target.endsWith(".md")) return [];
    return headingsOf(readFileSync(join(root, target), "utf8")).has(heading) ? [] : [link];
  });
}

/** The fragments by which headings are linked. */
function headingsOf(text: string): ReadonlySet<string> {
  const plain = text.replaceAll(/^```.*?^```/gms, "");
  const headings = [...plain.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => heading);
  return new Set(
    headings.map((heading) =>
      heading
        .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}_ -]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );
}
