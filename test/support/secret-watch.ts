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
export function refuseKeys(where: string, text: string): void {
  const lines = text.split("\n").filter((line) => !shownPattern.test(line));
  const [key] = lines.join("\n").match(keyPattern) ?? [];
  if (key !== undefined) throw new Error(`${where} shows a key: ${key}`);
}

/** Throws for the first key in a file or a file's name below a directory. */
export function refuseKeysBelow(directory: string): void {
  for (const name of readdirSync(directory, { recursive: true, encoding: "utf8" })) {
    const file = join(directory, name);
    const facts = statSync(file, { throwIfNoEntry: false });
    if (facts?.isFile() !== true || facts.size > BYTES_MAX) continue;
    const [key] = `${name}\n${readFileSync(file, "latin1")}`.match(keyPattern) ?? [];
    if (key !== undefined) throw new Error(`${file} holds a key: ${key}`);
  }
}
