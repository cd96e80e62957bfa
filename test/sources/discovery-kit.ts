import { discoverSources } from "../../src/sources/discovery.js";
import { openBytes } from "../../src/sources/open-bytes.js";
import type { Source } from "../../src/sources/source.js";
import type { DiscoverOptions, DiscoveryFailure } from "../../src/sources/source-discovery.js";
import { drain, openOptions, useScratchDirectory } from "../readers/scratch.js";
import { type EntryToWrite, writeZip } from "./zip-writer.js";

interface Seen {
  readonly head: Buffer;
  readonly name: string;
}

/** A scratch directory for each test, and what is discovered in it. To be called once in a file. */
export function useDiscovery() {
  const scratch = useScratchDirectory();

  /** Discovers files by name, with what the detection was shown. */
  async function discover(...names: string[]) {
    const seen: Seen[] = [];
    const options: DiscoverOptions = {
      ...openOptions,
      detect: ({ bytes, extent }, name) => {
        if (extent === "part") return null;
        seen.push({ head: Buffer.from(bytes), name });
        return { kind: "ndjson" };
      },
    };
    const files = names.map((name) => ({ name, path: scratch.path(name) }));
    return { ...(await discoverSources(files, options)), seen };
  }

  async function discoverZip(entries: readonly EntryToWrite[], options?: { zip64: boolean }) {
    scratch.write("a.zip", writeZip(entries, options));
    return discover("a.zip");
  }

  return { scratch, discover, discoverZip };
}

export async function contentOf(source: Source | undefined): Promise<string> {
  if (source === undefined) throw new Error("no source");
  const { bytes, error } = await drain(await openBytes(source, 0, openOptions));
  if (error !== undefined) throw error;
  return bytes.toString();
}

/** The code of each failure, by name. */
export function codesOf(failures: readonly DiscoveryFailure[]) {
  return Object.fromEntries(failures.map(({ name, code }) => [name, code]));
}
