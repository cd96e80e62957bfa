import { existsSync, readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { dirname, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const dist = fileURLToPath(new URL("../../dist", import.meta.url));

/** Gives for a frame of a profile the path below dist/ of the module that it was bundled from. */
export function bundleModules() {
  const maps = new Map();
  return ({ url, lineNumber, columnNumber }) => {
    if (!maps.has(url)) maps.set(url, readMap(fileURLToPath(url)));
    const { map, directory, file } = maps.get(url);
    if (map === undefined) return relative(dist, file);
    const { originalSource } = map.findEntry(lineNumber, columnNumber);
    return originalSource && relative(dist, resolve(directory, originalSource));
  };
}

function readMap(file) {
  const map = existsSync(`${file}.map`)
    ? new SourceMap(JSON.parse(readFileSync(`${file}.map`, "utf8")))
    : undefined;
  return { map, directory: dirname(file), file };
}
