import { SNIFF_BYTES } from "../base/limits.js";
import { InspectionBuffers } from "./file-inspector.js";
import { fingerprintTarEntry } from "./fingerprint.js";
import { openBytes } from "./open-bytes.js";
import { kindOfHidden, splitByName } from "./other-files.js";
import { isHidden } from "./skipped-names.js";
import type { SourceBytes } from "./source.js";
import {
  collect,
  type DiscoverOptions,
  type Discovery,
  discoverSource,
  joinDiscoveries,
  nothingFound,
} from "./source-discovery.js";
import { repeatedName, unsafeName } from "./source-errors.js";
import { TarStream } from "./tar-bytes.js";
import { readTarMembers, type TarMember } from "./tar-header.js";
import { explainUnsafeName } from "./zip-directory.js";

/**
 * The sources in a tar: its files, without hidden ones and those that hold no events. A compressed one is
 * read to its end first, because nothing else lists its files or shows that it is whole.
 */
export async function discoverTar(
  archive: SourceBytes,
  options: DiscoverOptions,
): Promise<Discovery> {
  const members = await listMembers(archive, options);
  const visible = members.filter(({ name }) => !isHidden(name));
  const { data, others } = splitByName(
    visible,
    ({ name }) => name,
    (_, kind) => options.isData?.(kind) === true,
  );
  const repeated = repeatedNames(members);
  const contents = Math.max(1, ...members.map(({ offset, size }) => offset + size));
  const stream = new TarStream(archive, openBytes, options);
  const buffers = new InspectionBuffers();
  const found: Discovery[] = [];
  try {
    for (const member of data) {
      const name = `${archive.name}!${member.name}`;
      const discover = async () => {
        const why = explainUnsafeName(member.name);
        if (why !== null) throw unsafeName(name, why);
        if (repeated.has(member.name)) throw repeatedName(name);
        return discoverMember(archive, member, { stream, contents }, buffers, options);
      };
      found.push(await collect(name, options.signal, discover));
    }
  } finally {
    await stream.close();
  }
  const named = (name: string) => `${archive.name}!${name}`;
  const leftOut = [
    ...others.map(({ one, kind }) => ({ name: named(one.name), kind })),
    ...members
      .filter(({ name }) => isHidden(name))
      .map(({ name }) => ({ name: named(name), kind: kindOfHidden(name) })),
  ];
  return joinDiscoveries([...found, { ...nothingFound, leftOut }]);
}

async function listMembers(
  archive: SourceBytes,
  options: DiscoverOptions,
): Promise<readonly TarMember[]> {
  const stream = new TarStream(archive, openBytes, options);
  try {
    const members: TarMember[] = [];
    for await (const member of readTarMembers(archive.name, stream)) members.push(member);
    await stream.finish();
    return members;
  } finally {
    await stream.close();
  }
}

/** Returns the names that several files have: only the last of them would be unpacked. */
function repeatedNames(members: readonly TarMember[]): ReadonlySet<string> {
  const seen = new Set<string>();
  const names = members.map(({ name }) => name);
  return new Set(names.filter((name) => seen.size === seen.add(name).size));
}

async function discoverMember(
  archive: SourceBytes,
  { name, offset, size }: TarMember,
  reading: { readonly stream: TarStream; readonly contents: number },
  buffers: InspectionBuffers,
  options: DiscoverOptions,
): Promise<Discovery> {
  const { stream, contents } = reading;
  await stream.skipTo(offset);
  const first = await stream.read(Math.min(size, SNIFF_BYTES));
  const entry = { name, offset, size, codecs: archive.codecs };
  // As much of the archive as the file is of its contents.
  const share = Math.round(size * Math.min(1, archive.size / contents));
  const source = {
    name: `${archive.name}!${name}`,
    path: archive.path,
    entry,
    codecs: [],
    size: share,
    fingerprint: fingerprintTarEntry(archive.fingerprint, entry),
  };
  const { discoverTar: _, tail: __, ...others } = options;
  const fetched = { start: 0, bytes: first };
  return discoverSource(source, first, buffers, { ...others, fetched });
}
