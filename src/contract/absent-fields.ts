import type { z } from "zod";
import { kindOf } from "./fields.js";

/**
 * Returns a body without the fields that say that they are not given: a null where the field may be
 * absent but not null, and an empty text of JSON5. Clients that write every field send both.
 */
export function withoutAbsent(schema: z.core.$ZodType, value: unknown): unknown {
  const inner = unwrapped(schema);
  if (isArray(inner) && Array.isArray(value)) {
    return value.map((item) => withoutAbsent(inner._zod.def.element, item));
  }
  if (!isObject(inner) || kindOf(value) !== "object") return value;
  const { shape } = inner._zod.def;
  const given = Object.entries(value as object).filter(
    ([name, member]) => !isAbsent(name, shape[name], member),
  );
  return Object.fromEntries(
    given.map(([name, member]) => {
      const field = shape[name];
      return [name, field === undefined ? member : withoutAbsent(field, member)];
    }),
  );
}

function isAbsent(name: string, field: z.core.$ZodType | undefined, value: unknown): boolean {
  if (field?._zod.optin !== "optional") return false;
  if (value === "") return name.endsWith("Json5");
  return value === null && (field as z.ZodType).safeParse(null).error !== undefined;
}

/** Returns the schema within optional and nullable ones. */
function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  const { innerType } = schema._zod.def as { readonly innerType?: z.core.$ZodType };
  return innerType === undefined ? schema : unwrapped(innerType);
}

function isArray(schema: z.core.$ZodType): schema is z.core.$ZodArray {
  return schema._zod.def.type === "array";
}

function isObject(schema: z.core.$ZodType): schema is z.core.$ZodObject {
  return schema._zod.def.type === "object";
}
