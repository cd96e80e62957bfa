// Targets as configurations write them, made of the resolved mapping that a run records.

type RecordObject = Readonly<Record<string, unknown>>;

/** A field of a resolved mapping. */
export interface RecordedField {
  readonly path: readonly string[];
  readonly unless?: readonly string[];
  readonly as?: string | readonly string[];
  /** Other exceptions, which are kept. */
  readonly [exception: string]: unknown;
}

export interface RecordedTime {
  readonly path: readonly string[];
  readonly format: string | readonly string[];
  readonly zone: string;
  readonly shifted: boolean;
  readonly as?: "json";
}

export function writtenTime({ path, format, zone, shifted, as }: RecordedTime): unknown {
  return writtenField({
    path,
    ...(as === undefined ? {} : { as }),
    ...(format === "auto" ? {} : { format }),
    ...(zone === "UTC" ? {} : { zone }),
    ...(shifted ? { shifted } : {}),
  });
}

/** A field as the configuration writes it, with all of its exceptions. */
export function writtenField({ path, ...exceptions }: RecordedField): unknown {
  const field = path.some((step) => step.includes(".")) ? path : path.join(".");
  if (Object.keys(exceptions).length > 0) return { field, ...exceptions };
  // Only text can be written without a list; the steps of a path would be read as fields.
  return typeof field === "string" && field !== "" ? field : { field };
}

export function oneOrAll(written: readonly unknown[]): unknown {
  return written.length === 1 ? written[0] : written;
}

/** Returns a target with a further field, which is used where the others have no value. */
export function withFurtherField(
  mapping: RecordObject,
  target: string,
  path: readonly string[],
): unknown {
  const present = mapping[target];
  if (target === "metadata" || target === "user") return withFurtherObject(present, path);
  const fields = Array.isArray(present) ? (present as readonly RecordedField[]) : [];
  const written =
    target === "timestamp"
      ? (fields as readonly unknown[] as RecordedTime[]).map(writtenTime)
      : fields.map(writtenField);
  return oneOrAll([...written, writtenField({ path })]);
}

function withFurtherObject(source: unknown, path: readonly string[]): unknown {
  const object = source as RecordObject;
  const further = writtenField({ path });
  if (object["kind"] === "choices") {
    return oneOrAll([...listAt<RecordedField>(object, "choices").map(writtenField), further]);
  }
  const parts = object["kind"] === "merged" ? listAt<RecordObject>(object, "parts") : [object];
  const written = [...parts.flatMap(writtenPart), further];
  // Fields alone would be read as choices.
  const isPlain = (part: unknown) =>
    typeof part === "string" || Object.hasOwn(part as object, "field");
  return written.every(isPlain) ? written.map((part) => [part]) : written;
}

/** Returns a part of an object as configurations write it; none for a part without fields. */
export function writtenPart(part: RecordObject): readonly unknown[] {
  const fields = (name: string) => listAt<RecordedField>(part, name).map(writtenField);
  switch (part["kind"]) {
    case "choices": {
      const choices = fields("choices");
      return choices.length === 0 ? [] : [oneOrAll(choices)];
    }
    case "fields":
      return [
        {
          fields: listAt<RecordedField>(part, "fields").map(({ path, name }) =>
            name === path.at(-1) ? writtenField({ path }) : writtenField({ path, name }),
          ),
        },
      ];
    case "pairs": {
      const values = listAt<RecordedField>(part, "values").map(({ path, isNumber }) =>
        writtenField(isNumber === true ? { path, as: "number" } : { path }),
      );
      return [{ pairs: fields("lists"), key: fields("keys"), value: values }];
    }
    default: {
      const path = listAt<string>(part, "path");
      const except = listAt<string>(part, "except");
      return [{ rest: path, ...(except.length === 0 ? {} : { except }) }];
    }
  }
}

function listAt<T>(parent: RecordObject, name: string): readonly T[] {
  const value = parent[name];
  return Array.isArray(value) ? (value as readonly T[]) : [];
}
