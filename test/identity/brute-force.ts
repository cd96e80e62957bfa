import type { LinkForm } from "../../src/identity/link-rules.js";

/** A statement of a log. */
export interface LogLink {
  readonly form: LinkForm;
  readonly evidence: "identify" | "alias" | "event" | "merge" | "person";
  readonly from: string;
  readonly to: string;
  readonly timeMs: number;
  readonly isUser: boolean;
}

/** A row of the table, as text. */
export type Row = readonly [anonymousID: string, userID: string | undefined];

type Level = 0 | 1 | 2 | 3;

interface Edge {
  readonly from: string;
  readonly to: string;
  readonly toLevel: Level;
  readonly evidence: string;
  readonly timeMs: number;
  readonly isMember: boolean;
}

const isDevice = (id: string) => id.startsWith("$device:") || /^[0-9a-f]{8}-/.test(id);
const plain = (id: string) => id.replace("$device:", "");
const person = (id: string) => `#person ${id}`;
const junk = new Set(["null", "0", "anonymous"]);

/** Joins ids with sets of texts, one link after the other: slow, and independent of files and numbers. */
export function joinByBruteForce(log: readonly LogLink[]): readonly Row[] {
  const levels = new Map<string, Level>();
  const edges: Edge[] = [];
  const raise = (id: string, level: Level) =>
    levels.set(id, Math.max(level, levels.get(id) ?? 0) as Level);
  for (const link of log) addEdges(link, edges, raise);
  const levelOf = (id: string) => levels.get(id) ?? 0;

  // Sets of ids that statements unite, with the one that stands for each.
  const setOf = new Map<string, { ids: Set<string>; leader: string }>();
  const find = (id: string) => {
    const found = setOf.get(id) ?? { ids: new Set([id]), leader: id };
    setOf.set(id, found);
    return found;
  };
  const moved = edges.filter(({ from, isMember }) => isMember && levelOf(from) > 0);
  const usual = edges.filter(({ isMember }) => !isMember);
  const devicesOfMembers = moved
    .filter(({ toLevel }) => toLevel === 0)
    .map((edge) => ({ ...edge, from: edge.to, to: edge.from, isMember: false }));
  const all = [...usual, ...devicesOfMembers];
  const isStatement = ({ evidence }: Edge) => !["identify", "event"].includes(evidence);
  // Devices of merged numbers are known by then, and unite nobody.
  const statements = [
    ...usual.filter((edge) => isStatement(edge) && levelOf(edge.from) > 0),
    ...moved
      .filter(({ toLevel }) => toLevel > 0)
      .map((edge) => ({ ...edge, from: edge.to, to: edge.from })),
  ];
  const key = ({ from, to }: Edge) => [from, to].map((id) => id.replace("#person ", "\0"));
  statements.sort((a, b) => {
    const [[af = "", at = ""], [bf = "", bt = ""]] = [key(a), key(b)];
    return a.timeMs - b.timeMs || compare(af, bf) || compare(at, bt);
  });
  for (const { from, to } of statements) {
    const [one, other] = [find(from), find(to)];
    if (one === other) continue;
    const leader = levelOf(one.leader) > levelOf(other.leader) ? one.leader : other.leader;
    const united = { ids: new Set([...one.ids, ...other.ids]), leader };
    for (const id of united.ids) setOf.set(id, united);
  }
  const named = new Set([...setOf.keys()]);
  const seenBy = new Map<object, Set<string>>();
  for (const edge of usual) {
    const level = levelOf(edge.from);
    if (isStatement(edge) || level === 0 || level === 3) continue;
    named.add(edge.from).add(edge.to);
    const [set, user] = [find(edge.from), find(edge.to)];
    if (set === user || levelOf(set.leader) === 3) continue;
    seenBy.set(set, (seenBy.get(set) ?? new Set()).add(user.leader));
  }
  /** The users of an id: none, one, or several. */
  const usersOf = (id: string, toLevel: Level): readonly string[] => {
    if (!named.has(id)) return toLevel >= 2 ? [id] : [];
    const set = find(id);
    if (levelOf(set.leader) === 3) return [set.leader];
    const seen = seenBy.get(set);
    if (seen !== undefined) return [...seen];
    return levelOf(set.leader) === 2 ? [set.leader] : [];
  };
  const users = new Map<string, Set<string>>();
  for (const id of named) {
    const found = usersOf(id, 0);
    if (levelOf(id) > 0 && !(found.length === 1 && found[0] === id)) users.set(id, new Set(found));
  }
  for (const { from, to, toLevel } of all) {
    if (levelOf(from) > 0) continue;
    const own = users.get(from) ?? new Set();
    for (const user of usersOf(to, toLevel)) own.add(user);
    users.set(from, own);
  }
  return [...users]
    .filter(([id, own]) => own.size > 0 && !id.startsWith("#person "))
    .map(([id, own]): Row => [id, own.size === 1 ? [...own][0] : undefined])
    .sort(([a], [b]) => compare(a, b));
}

function addEdges(link: LogLink, edges: Edge[], raise: (id: string, level: Level) => void): void {
  const { form, evidence, timeMs, isUser } = link;
  const put = (from: string, to: string, toLevel: Level, isMember = false) =>
    edges.push({ from, to, toLevel, evidence, timeMs, isMember });
  const link2 = (from: string, to: string, level: Level) => {
    if (from === to) return;
    raise(to, level);
    put(from, to, level);
  };
  const same = (one: string, other: string) => {
    const [from, to] = [plain(one), plain(other)];
    if (junk.has(from) || junk.has(to)) return;
    if (isDevice(one) && isDevice(other)) {
      raise(from, 1);
      link2(from, to, 1);
    } else if (isDevice(other)) link2(to, from, 2);
    else link2(from, to, 2);
  };
  const { from, to } = link;
  if (form === "same") same(from, to);
  if (form === "list") {
    const [first = "", ...others] = JSON.parse(from) as string[];
    for (const other of others) same(other, first);
  }
  if (form === "user" && !junk.has(plain(from)) && !junk.has(to) && !to.startsWith("$device:"))
    link2(plain(from), to, 3);
  if (form === "person" && !junk.has(from)) {
    if (!isDevice(from)) raise(from, 2);
    put(from, person(to), 0);
  }
  if (form === "member" && !junk.has(to)) {
    if (isUser) raise(to, 3);
    put(person(from), to, isUser ? 3 : 0, true);
  }
  if (form === "numbers") {
    raise(person(from), 1);
    link2(person(from), person(to), 1);
  }
}

export function compare(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}
