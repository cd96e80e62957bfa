import { parseJson } from "../base/parse-json.js";
import { isPlaceholderID } from "../profile/placeholder-ids.js";
import type { NewRecord } from "./link-file.js";
import { levels } from "./link-file.js";
import { evidences, type LinkRule } from "./link-rules.js";

/** A vendor's number of a person begins with it: no id does, and no number equals an id. */
export const NUMBER_START = "\0";

/** A UUID, one with an `R` after it (Amplitude), and five groups of digits, as libraries generate them. */
const generated = [
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}R?$/i,
  /^(?=.{44,70}$)[0-9a-f]{5,}(?:-[0-9a-f]{5,}){4}$/i,
];

/** A link between ids in the words of the export. */
export interface FoundLink {
  readonly from: string;
  readonly to: string;
  /** Milliseconds since 1970 UTC. */
  readonly timeMs: number;
}

/** Makes the records of the links of one rule. Ids that are placeholders link nothing. */
export class LinkRecords {
  readonly #evidence: number;

  /**
   * `prefix`: that of anonymous ids, which is removed. `put` takes the records, and `junk` each placeholder id.
   */
  constructor(
    private readonly rule: LinkRule,
    private readonly prefix: string | undefined,
    private readonly put: (record: NewRecord) => void,
    private readonly junk: (id: string) => void,
  ) {
    this.#evidence = evidences.indexOf(rule.evidence);
  }

  add({ from, to, timeMs }: FoundLink): void {
    switch (this.rule.form) {
      case "user":
        if (this.#areIds(from, to) && !this.#hasPrefix(to))
          this.#link(this.#plain(from), to, levels.user, timeMs);
        return;
      case "same":
        this.#same(from, to, timeMs);
        return;
      case "list": {
        const [first, ...others] = idsOf(from);
        for (const other of others) this.#same(other, first ?? "", timeMs);
        return;
      }
      case "person": {
        if (!this.#areIds(from, "")) return;
        if (!isGenerated(from)) this.#level(from, levels.named);
        this.#put(from, `${NUMBER_START}${to}`, levels.none, timeMs);
        return;
      }
      case "member": {
        if (!this.#areIds(to, "")) return;
        const level = this.rule.isUser === true ? levels.user : levels.none;
        if (level === levels.user) this.#level(to, level);
        this.#put(`${NUMBER_START}${from}`, to, level, timeMs, true);
        return;
      }
      case "numbers": {
        const [one, other] = [`${NUMBER_START}${from}`, `${NUMBER_START}${to}`];
        this.#level(one, levels.linked);
        this.#link(one, other, levels.linked, timeMs);
        return;
      }
    }
  }

  /** Links ids of one person. An id that a library generated is the device's. */
  #same(one: string, other: string, timeMs: number): void {
    if (!this.#areIds(one, other)) return;
    const isDevice = (id: string) => this.#hasPrefix(id) || isGenerated(id);
    const [from, to] = [this.#plain(one), this.#plain(other)];
    if (isDevice(one) && isDevice(other)) {
      this.#level(from, levels.linked);
      this.#link(from, to, levels.linked, timeMs);
    } else if (isDevice(other)) this.#link(to, from, levels.named, timeMs);
    else this.#link(from, to, levels.named, timeMs);
  }

  #link(from: string, to: string, level: number, timeMs: number): void {
    if (from === to) return;
    this.#level(to, level);
    this.#put(from, to, level, timeMs);
  }

  #level(id: string, level: number): void {
    this.#put(id, "", level, 0);
  }

  #put(from: string, to: string, level: number, timeMs: number, isMember = false): void {
    const evidence = this.#evidence;
    this.put({ from, to, evidence, isMember, level, timeMs });
  }

  /** Returns true if no id is a placeholder; `""` is not looked at. */
  #areIds(...ids: readonly string[]): boolean {
    const bad = ids.filter((id) => isPlaceholderID(this.#plain(id)) || id.startsWith(NUMBER_START));
    for (const id of bad) this.junk(this.#plain(id));
    return bad.length === 0;
  }

  #hasPrefix(id: string): boolean {
    return this.prefix !== undefined && id.startsWith(this.prefix);
  }

  #plain(id: string): string {
    return this.#hasPrefix(id) ? id.slice(this.prefix?.length) : id;
  }
}

function isGenerated(id: string): boolean {
  return generated.some((form) => form.test(id));
}

/** Returns the ids of a JSON array; none for other texts. */
function idsOf(text: string): readonly string[] {
  const list = parseJson(text);
  return Array.isArray(list) ? list.filter((id) => typeof id === "string" && id !== "") : [];
}
