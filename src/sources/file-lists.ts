import { isObject } from "../base/is-object.js";

/** The digests that sidecar files have, by the number of their hexadecimal digits. */
const algorithms = { 32: "md5", 40: "sha1", 64: "sha256", 128: "sha512" } as const;

interface FileDigest {
  readonly algorithm: (typeof algorithms)[keyof typeof algorithms];
  readonly hex: string;
}

/** A file of which a manifest or a checksum file says what it must be. */
export interface ListedFile {
  /** As written: relative to the list, or the key of an object. */
  readonly file: string;
  readonly bytes?: number;
  readonly digest?: FileDigest;
  readonly rows?: number;
}

/**
 * Returns the files that a manifest or a checksum file lists; undefined if the text is of none of the forms
 * that are known. `name`: of the list.
 */
export function parseFileList(text: string, name: string): readonly ListedFile[] | undefined {
  if (isDataFeed(text)) return parseDataFeed(text);
  if (/^\s*\{/.test(text)) return parseFiles(text);
  return parseChecksums(text, name);
}

/** Returns true for the first bytes of a manifest of Adobe, whose name does not tell. */
export function isDataFeed(start: string): boolean {
  return /^\s*Datafeed-Manifest-Version:/.test(start);
}

/**
 * Reads the data files of a manifest of Adobe: one member a line, each file after its name. Lookup files are
 * not read, so they may be missing. Source: the page "Data feed contents" of Adobe Analytics.
 */
function parseDataFeed(text: string): readonly ListedFile[] {
  const blocks = text.split(/^\s*(?=(?:Data|Lookup)-File:)/m).slice(1);
  return blocks.flatMap((block): ListedFile[] => {
    const member = (key: string) => new RegExp(`^\\s*${key}:\\s*(.*?)\\s*$`, "m").exec(block)?.[1];
    const file = member("Data-File");
    if (file === undefined) return [];
    const bytes = countOf(member("File-Size"));
    const rows = countOf(member("Record-Count"));
    const digest = digestOf(member("MD5-Digest"));
    return [
      {
        file,
        ...(bytes === undefined ? {} : { bytes }),
        ...(digest === undefined ? {} : { digest }),
        ...(rows === undefined ? {} : { rows }),
      },
    ];
  });
}

function countOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
}

function digestOf(hex: string | undefined): FileDigest | undefined {
  if (hex === undefined || !/^[\da-f]+$/i.test(hex)) return undefined;
  const algorithm = algorithms[hex.length as keyof typeof algorithms];
  return algorithm && { algorithm, hex: hex.toLowerCase() };
}

/** Reads a manifest of PostHog: `files` has the keys of the objects. */
function parseFiles(text: string): readonly ListedFile[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const files = isObject(value) ? value["files"] : undefined;
    if (!Array.isArray(files) || !files.every((one) => typeof one === "string")) return undefined;
    return files.map((file) => ({ file }));
  } catch {
    return undefined;
  }
}

/** Reads lines of `md5sum` and its relatives, those of BSD, or one digest of the file of the same name. */
function parseChecksums(text: string, name: string): readonly ListedFile[] | undefined {
  const files: ListedFile[] = [];
  for (const line of text.split(/\r?\n/).filter((one) => one.trim() !== "")) {
    const [, bsdFile, bsdHex] = /^\w+ \((.+)\) = ([\da-f]+)$/i.exec(line) ?? [];
    const [, hex, file] = /^\\?([\da-f]+)(?:\s+\*?(.+))?$/i.exec(line.trim()) ?? [];
    const digest = digestOf(bsdHex ?? hex);
    const own = name.slice(name.lastIndexOf("/") + 1).replace(/\.[^.]*$/, "");
    if (digest === undefined) return undefined;
    files.push({ file: (bsdFile ?? file ?? own).replace(/^\.\//, ""), digest });
  }
  return files.length === 0 ? undefined : files;
}
