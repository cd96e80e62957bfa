import { existsSync, readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { dirname, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const source = fileURLToPath(new URL("../../src", import.meta.url));

/** Returns a function from a frame of a profile to the path below src/ of the module that it is from. */
export function bundleModules() {
  const maps = new Map();
  return ({ url, lineNumber, columnNumber }) => {
    if (!maps.has(url)) maps.set(url, readMap(fileURLToPath(url)));
    const { map, directory, file } = maps.get(url);
    if (map === undefined) return relative(source, file);
    const { originalSource } = map.findEntry(lineNumber, columnNumber);
    return originalSource && relative(source, resolve(directory, originalSource));
  };
}

function readMap(file) {
  const map = existsSync(`${file}.map`)
    ? new SourceMap(JSON.parse(readFileSync(`${file}.map`, "utf8")))
    : undefined;
  return { map, directory: dirname(file), file };
}
