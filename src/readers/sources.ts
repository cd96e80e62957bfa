import { open } from "node:fs/promises";
import { SourceError } from "../base/errors.js";
import { DISCOVERY_MAX, FINGERPRINT_EDGE_BYTES } from "../base/limits.js";
import {
  collect,
  type DiscoverOptions,
  type Discovery,
  discoverSource,
  joinDiscoveries,
} from "./discovery.js";
import { type FileState, fileState, fingerprintFile } from "./fingerprint.js";
import type { Head } from "./head.js";
import type { InputFile } from "./inputs.js";
import { endsAsZip, identifyContainer } from "./magic.js";
import { mapBounded } from "./map-bounded.js";

/**
 * Opens every file, and every entry of every zip, and finds out by its bytes what it is. What
 * cannot be read is a failure beside the sources. Throws only the signal's reason and bugs.
 */
export async function discoverSources(
  files: readonly InputFile[],
  options: DiscoverOptions,
): Promise<Discovery> {
  const found = await mapBounded(files, DISCOVERY_MAX, (file) => discoverFile(file, options));
  return joinDiscoveries(found);
}

async function discoverFile(file: InputFile, options: DiscoverOptions): Promise<Discovery> {
  return collect(file.name, options.signal, async () => {
    const { state, head, tail, fingerprint } = await inspectFile(file);
    const container = identifyContainer(head.bytes);
    if (container?.kind === "zip" || (container === null && endsAsZip(tail))) {
      // With the library for zips, which most inputs do without.
      const { discoverEntries } = await import("./zip-sources.js");
      return discoverEntries(file, state, options);
    }
    const source = { ...file, codecs: [], size: state.size, fingerprint };
    return discoverSource(source, head, options);
  });
}

interface InspectedFile {
  readonly state: FileState;
  /** The first bytes of the file. */
  readonly head: Head;
  /** The last bytes of the file; all of a small one. */
  readonly tail: Uint8Array;
  readonly fingerprint: string;
}

async function inspectFile(file: InputFile): Promise<InspectedFile> {
  const handle = await open(file.path, "r");
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) {
      const reason = "is no file. Give files, directories or patterns.";
      throw new SourceError("source_unreadable", { source: file.name }, reason);
    }
    const state = fileState(stats);
    const small = state.size <= 2 * FINGERPRINT_EDGE_BYTES;
    const first = Buffer.allocUnsafeSlow(small ? state.size : FINGERPRINT_EDGE_BYTES);
    const { bytesRead } = await handle.read(first, 0, first.length, 0);
    const bytes = first.subarray(0, bytesRead);
    const edges: Uint8Array[] = [bytes];
    if (!small) {
      const last = Buffer.allocUnsafe(FINGERPRINT_EDGE_BYTES);
      await handle.read(last, 0, last.length, state.size - last.length);
      edges.push(last);
    }
    const head = { bytes, complete: small };
    const tail = edges.at(-1) ?? bytes;
    return { state, head, tail, fingerprint: fingerprintFile(state, edges) };
  } finally {
    await handle.close();
  }
}
