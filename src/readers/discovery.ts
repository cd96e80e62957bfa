import { DISCOVERY_MAX } from "../base/limits.js";
import { mapBounded } from "../base/map-bounded.js";
import { FileInspector, FileReads } from "./file-inspector.js";
import type { InputFile } from "./inputs.js";
import { endsAsZip, identifyContainer } from "./magic.js";
import {
  collect,
  type DiscoverOptions,
  type Discovery,
  discoverSource,
  joinDiscoveries,
} from "./source-discovery.js";

/**
 * Opens every file, and every entry of every zip, and detects compression and format from the bytes.
 * An input that cannot be read becomes a failure. Throws only the signal's reason and bugs.
 */
export async function discoverSources(
  files: readonly InputFile[],
  options: DiscoverOptions,
): Promise<Discovery> {
  const reads = new FileReads();
  const inspectors: FileInspector[] = [];
  const found = await mapBounded(files, DISCOVERY_MAX, (file, lane) => {
    inspectors[lane] ??= new FileInspector(reads);
    return discoverFile(file, inspectors[lane], options);
  });
  return joinDiscoveries(found);
}

async function discoverFile(
  file: InputFile,
  inspector: FileInspector,
  options: DiscoverOptions,
): Promise<Discovery> {
  return collect(file.name, options.signal, async () => {
    const { state, head, tail, fingerprint } = await inspector.inspect(file);
    const container = identifyContainer(head);
    if (container?.kind === "zip" || (container === null && endsAsZip(tail))) {
      // Loads the zip library, which most runs do not need.
      const { discoverEntries } = await import("./zip-sources.js");
      return discoverEntries(file, state, options);
    }
    const source = { ...file, codecs: [], size: state.size, fingerprint };
    return discoverSource(source, head, inspector.buffers, options);
  });
}
