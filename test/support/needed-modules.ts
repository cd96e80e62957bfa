import { readFileSync } from "node:fs";
import { parseAst } from "rolldown/parseAst";

interface Node {
  readonly type: string;
  readonly [member: string]: unknown;
}

const relevant = /^(?:Import|Export|CallExpression|VariableDeclarator|AssignmentExpression)/;

/**
 * Returns the names by which a file of JavaScript asks for modules, without relative ones: in `import`,
 * `export … from`, `import()`, `import.meta.resolve()`, `require()` and `require.resolve()`, also where
 * `require` was made by `createRequire` and has another name.
 */
export function needsOf(file: string): readonly string[] {
  const nodes = collect(parseAst(readFileSync(file, "utf8")), []);
  const requires = namesOfRequire(nodes);
  const names = nodes.flatMap((node) => {
    const name = member(askedBy(node, requires), "value");
    return typeof name === "string" ? [name] : [];
  });
  return names.filter((name) => !/^\.\.?\//.test(name));
}

/** The expression that names the module. */
function askedBy(node: Node, requires: ReadonlySet<string>): unknown {
  const { type, source, callee, arguments: given } = node;
  if (type === "CallExpression") {
    return isRequire(callee, requires) ? (given as readonly unknown[])[0] : undefined;
  }
  return source;
}

function isRequire(callee: unknown, requires: ReadonlySet<string>): boolean {
  const name = member(callee, "name");
  if (typeof name === "string") return requires.has(name);
  // createRequire(…)("name")
  if (member(callee, "type") === "CallExpression") {
    return requires.has(`made by ${member(member(callee, "callee"), "name")}`);
  }
  const isResolve = member(member(callee, "property"), "name") === "resolve";
  const object = member(callee, "object");
  return isResolve && (isRequire(object, requires) || member(object, "type") === "MetaProperty");
}

/** Names of functions that require, and `made by <name>` for those that make such functions. */
function namesOfRequire(nodes: readonly Node[]): ReadonlySet<string> {
  const names = new Set(["require", "__require"]);
  for (const { type, imported, local } of nodes) {
    if (type !== "ImportSpecifier") continue;
    const [from, to] = [member(imported, "name"), member(local, "name")];
    if (from === "createRequire") names.add(`made by ${to}`);
    if (from === "__require") names.add(String(to));
  }
  for (const node of nodes) {
    const [target, value] =
      node.type === "VariableDeclarator"
        ? [node["id"], node["init"]]
        : node.type === "AssignmentExpression"
          ? [node["left"], node["right"]]
          : [];
    const maker = member(member(value, "callee"), "name");
    if (names.has(`made by ${maker}`)) names.add(String(member(target, "name")));
  }
  return names;
}

function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
}

/** Adds the nodes that may ask for a module, or that name functions which do. */
function collect(value: object, nodes: Node[]): readonly Node[] {
  const type = member(value, "type");
  if (typeof type === "string" && relevant.test(type)) nodes.push(value as Node);
  for (const child of Object.values(value)) {
    if (typeof child === "object" && child !== null) collect(child, nodes);
  }
  return nodes;
}
