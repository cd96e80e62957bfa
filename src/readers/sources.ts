import { DISCOVERY_MAX } from "../base/limits.js";
import {
  collect,
  type DiscoverOptions,
  type Discovery,
  discoverSource,
  joinDiscoveries,
} from "./discovery.js";
import { FileInspector } from "./file-inspector.js";
import { FileReads } from "./file-reads.js";
import type { InputFile } from "./inputs.js";
import { endsAsZip, identifyContainer } from "./magic.js";
import { mapBounded } from "./map-bounded.js";

/**
 * Opens every file, and every entry of every zip, and finds out by its bytes what it is. What
 * cannot be read is a failure beside the sources. Throws only the signal's reason and bugs.
 */
export function discoverSources(
  files: readonly InputFile[],
  options: DiscoverOptions,
): Promise<Discovery> {
  return new PieceDiscovery(options).discover(files);
}

/** `discoverSources` of one piece of the files after the other, in the same memory. */
export class PieceDiscovery {
  readonly #reads = new FileReads();
  readonly #inspectors: FileInspector[] = [];

  constructor(private readonly options: DiscoverOptions) {}

  /** To be called again when the piece before is done. */
  async discover(files: readonly InputFile[]): Promise<Discovery> {
    const found = await mapBounded(files, DISCOVERY_MAX, (file, lane) => {
      this.#inspectors[lane] ??= new FileInspector(this.#reads);
      return discoverFile(file, this.#inspectors[lane], this.options);
    });
    return joinDiscoveries(found);
  }
}

async function discoverFile(
  file: InputFile,
  inspector: FileInspector,
  options: DiscoverOptions,
): Promise<Discovery> {
  return collect(file.name, options.signal, async () => {
    const { state, head, tail, fingerprint } = await inspector.inspect(file);
    const container = identifyContainer(head.bytes);
    if (container?.kind === "zip" || (container === null && endsAsZip(tail))) {
      // With the library for zips, which most inputs do without.
      const { discoverEntries } = await import("./zip-sources.js");
      return discoverEntries(file, state, options);
    }
    const source = { ...file, codecs: [], size: state.size, fingerprint };
    const look = () => ({ head, isCut: false });
    return discoverSource(source, look, inspector.memory, options);
  });
}
