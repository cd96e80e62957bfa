/** One thing that is wrong with a mapping: where, as the path of keys, and what. */
export interface MappingProblem {
  readonly path: readonly string[];
  readonly message: string;
}

/**
 * What is wrong with the changes that a configuration makes to a preset's mapping, beyond what
 * mapping-schema.ts can say. Whatever does not fit the schema is left to it.
 */
export function findMappingProblems(changes: unknown): readonly MappingProblem[] {
  return [
    ...["event", "timestamp"]
      .filter((target) => memberOf(changes, target) === null)
      .map((target) => ({
        path: [target],
        message: "no event is without it; name its field, or leave the key out for the preset's",
      })),
    ...["metadata", "user"].flatMap((target) => findRepeatedNames(changes, target)),
  ];
}

function findRepeatedNames(changes: unknown, target: string): MappingProblem[] {
  const fields = memberOf(memberOf(changes, target), "fields");
  if (!Array.isArray(fields)) return [];
  const names = fields.map(nameOf);
  return names.flatMap((name, index) =>
    name === undefined || names.indexOf(name) === index
      ? []
      : [
          {
            path: [target, "fields", String(index)],
            message: `is the second field named ${JSON.stringify(name)}; give one of them another name`,
          },
        ],
  );
}

/** Of the member that a field becomes; undefined where it fits no schema. */
function nameOf(field: unknown): string | undefined {
  const name = memberOf(field, "name");
  if (typeof name === "string") return name;
  const path = typeof field === "string" ? field : memberOf(field, "field");
  const steps: unknown = typeof path === "string" ? path.split(".") : path;
  const last: unknown = Array.isArray(steps) ? steps.at(-1) : undefined;
  return typeof last === "string" ? last : undefined;
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
}
