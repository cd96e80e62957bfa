import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/**
 * Matches a whole key or secret of the service's form, which tests use too. Output may show at most 8
 * characters of one, which this does not match; nor the page of the documentation that a target names.
 */
const keyPattern = /(?:console|secret)-(?!api\/introduction\b)[\w.~+/=-]{16,}/g;

/** The line of `serve` on its first start, all output of `keys create`, and the answer of the API to it. */
const shownPattern =
  /^(?:(?:export SWITCHYARD_(?:CONSOLE_KEY|SERVER_SECRET)=)?(?:console|secret)-\S+|\{"message":"Key created successfully\.".*)$/;

const BYTES_MAX = 64 * 1024 * 1024;

interface Watched {
  readonly where: string;
  text(): string;
}

const watched: Watched[] = [];

/** Throws if an output that the tests of a file made shows a key by mistake. */
export function checkWatchedOutput(): void {
  for (const { where, text } of watched.splice(0)) refuseKeys(where, text());
}

/** Checks after the tests of the file that an output shows no key by mistake. */
export function watchOutput(where: string, text: () => string): void {
  watched.push({ where, text });
}

/** Throws for the first key in a text, except where keys are shown on purpose. */
function refuseKeys(where: string, text: string): void {
  const lines = text.split("\n").filter((line) => !shownPattern.test(line));
  const [key] = lines.join("\n").match(keyPattern) ?? [];
  if (key !== undefined) throw new Error(`${where} shows a key: ${key}`);
}

/**
 * Throws for the first key in a file or a file's name below a directory. Does not follow links, as some
 * tests make circles of them.
 */
export function refuseKeysBelow(directory: string): void {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) refuseKeysBelow(path);
    const isRead = entry.isFile() && statSync(path).size <= BYTES_MAX;
    const text = isRead ? readFileSync(path, "latin1") : "";
    const [key] = `${entry.name}\n${text}`.match(keyPattern) ?? [];
    if (key !== undefined) throw new Error(`${path} holds a key: ${key}`);
  }
}
