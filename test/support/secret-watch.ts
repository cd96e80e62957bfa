import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll } from "vitest";

/**
 * A whole key or secret, as the service makes and takes them: tests that give secrets give such ones.
 * At most 8 characters of one may be shown, which this does not match.
 */
const keyPattern = /(?:console|secret)-[\w.~+/=-]{16,}/g;

/** The one line of `serve` on its first start, and all of what `keys create` prints. */
const shownPattern =
  /^(?:export SWITCHYARD_(?:CONSOLE_KEY|SERVER_SECRET)=)?(?:console|secret)-\S+$/;

const BYTES_MAX = 64 * 1024 * 1024;

interface Watched {
  readonly where: string;
  text(): string;
}

const watched: Watched[] = [];

afterAll(() => {
  for (const { where, text } of watched) refuseKeys(where, text());
});

/** Sees to it, when the tests of the file are over, that an output shows no key where none belongs. */
export function watchOutput(where: string, text: () => string): void {
  watched.push({ where, text });
}

/** Throws for the first key that stands in a text other than where keys are shown on purpose. */
function refuseKeys(where: string, text: string): void {
  const lines = text.split("\n").filter((line) => !shownPattern.test(line));
  const [key] = lines.join("\n").match(keyPattern) ?? [];
  if (key !== undefined) throw new Error(`${where} shows a key: ${key}`);
}

/**
 * Throws for the first key in a file or a file's name below a directory. Links are not followed: some
 * tests make them lead round in circles.
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
