import JSON5 from "json5";

/** Where something stands in a text; both count from 1, columns in UTF-16 code units. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

/** A key that stands in its object a second time: JSON5 takes the last one and says nothing. */
export interface RepeatedKey {
  readonly path: readonly string[];
  readonly first: TextPlace;
}

/** No option stands deeper. */
const DEPTH_MAX = 16;

/** An object or a list while it is walked through. */
interface Container {
  readonly path: readonly string[];
  /** Of a list: the place of the next item. */
  index: number | undefined;
}

/**
 * Where the members and items of a JSON5 text stand: members by their keys, items by their values. The
 * text must have been parsed without an error.
 */
export class ConfigurationPlaces {
  readonly repeated: RepeatedKey[] = [];
  readonly #text: string;
  readonly #offsets = new Map<string, number>();
  #position = 0;

  constructor(text: string) {
    this.#text = text;
    this.#walk();
  }

  /** Of what stands at a path; of the nearest thing around it where nothing does. */
  placeOf(path: readonly string[]): TextPlace {
    for (let length = path.length; length > 0; length--) {
      const offset = this.#offsets.get(nameOf(path.slice(0, length)));
      if (offset !== undefined) return this.#placeAt(offset);
    }
    return this.#placeAt(this.#offsets.get(nameOf([])) ?? 0);
  }

  #walk(): void {
    const containers: Container[] = [];
    this.#skipBlank();
    this.#offsets.set(nameOf([]), this.#position);
    this.#beginValue([], containers);
    for (let top = containers.at(-1); top !== undefined; top = containers.at(-1)) {
      this.#skipBlank();
      const character = this.#text[this.#position];
      if (character === undefined) return;
      if (character === "}" || character === "]") containers.pop();
      const isBetween = character === "," || character === "}" || character === "]";
      if (isBetween) this.#position++;
      else this.#beginValue(this.#nextPath(top), containers);
    }
  }

  /** Notes where the member or item stands, and goes to the beginning of its value. */
  #nextPath(container: Container): readonly string[] {
    const offset = this.#position;
    const step = container.index === undefined ? this.#takeKey() : String(container.index++);
    if (container.path.length === DEPTH_MAX) return container.path;
    const path = [...container.path, step];
    const first = this.#offsets.get(nameOf(path));
    if (first !== undefined) {
      this.repeated.push({ path, first: this.#placeAt(first) });
      this.#forget(path);
    }
    this.#offsets.set(nameOf(path), offset);
    return path;
  }

  /** What stood in a value that JSON5 has replaced. */
  #forget(path: readonly string[]): void {
    const inside = nameOf(path).replace(/\]$/, ",");
    for (const name of this.#offsets.keys())
      if (name.startsWith(inside)) this.#offsets.delete(name);
  }

  #beginValue(path: readonly string[], containers: Container[]): void {
    const character = this.#text[this.#position];
    if (character === "{" || character === "[") {
      this.#position++;
      containers.push({ path, index: character === "[" ? 0 : undefined });
    } else if (character === '"' || character === "'") {
      this.#skipText(character);
    } else {
      this.#skipPattern(/[^\s,\]}/]*/y);
    }
  }

  /** Goes on behind the colon. */
  #takeKey(): string {
    const start = this.#position;
    const quote = this.#text[start];
    if (quote === '"' || quote === "'") this.#skipText(quote);
    else this.#skipPattern(/[^\s:/]*/y);
    const key = this.#text.slice(start, this.#position);
    this.#skipBlank();
    this.#position++;
    this.#skipBlank();
    return Object.keys(JSON5.parse<object>(`{${key}: 0}`))[0] ?? key;
  }

  #skipText(quote: string): void {
    this.#position++;
    while (this.#position < this.#text.length && this.#text[this.#position] !== quote) {
      this.#position += this.#text[this.#position] === "\\" ? 2 : 1;
    }
    this.#position++;
  }

  /** White space and comments. */
  #skipBlank(): void {
    this.#skipPattern(/(?:\s|\/\/[^\n\r\u2028\u2029]*|\/\*[\s\S]*?\*\/)*/y);
  }

  /** The pattern must take at least nothing. */
  #skipPattern(pattern: RegExp): void {
    pattern.lastIndex = this.#position;
    this.#position += pattern.exec(this.#text)?.[0].length ?? 0;
  }

  #placeAt(offset: number): TextPlace {
    const before = this.#text.slice(0, offset).split("\n");
    return { line: before.length, column: (before.at(-1) ?? "").length + 1 };
  }
}

function nameOf(path: readonly string[]): string {
  return JSON.stringify(path);
}
