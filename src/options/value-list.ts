import { z } from "zod";
import { checkValue } from "../base/schema.js";
import type { JsonObject, JsonValue } from "./json-value.js";

export interface ListForm {
  /** The member that the first item is, if it has no `=`. */
  readonly first: string;
  /** Members that take several values. */
  readonly lists: readonly string[];
  /** Converts the text of another member to its value in the file. */
  parse?(name: string, text: string): JsonValue;
}

/** A text like `snowflake,null=NULL,skip=3` for an object that `members` accepts. */
export const listText = <Schema extends z.ZodType>(members: Schema, form: ListForm) =>
  z.string().transform((text, context): z.output<Schema> => {
    const { value, faults } = checkValue(members, valueList(text, form));
    for (const { path, message } of faults ?? []) {
      const key = path[0] === form.first ? "" : `${path[0]}: `;
      context.addIssue({ code: "custom", message: `${key}${message}`, input: text });
    }
    return value as z.output<Schema>;
  });

/**
 * Parses `snowflake,null=NULL,None,delimiter=","` to the object of the file. Items are separated by
 * commas. An item without `=` after a member that takes several values is a further one. A text with a
 * comma is put in double quotes, and a double quote in it is doubled.
 */
export function valueList(
  text: string,
  { first, lists, parse = (_, value) => value }: ListForm,
): JsonObject {
  const tree: Record<string, JsonValue> = {};
  let list: string | undefined;
  for (const { key, value } of itemsOf(text)) {
    if (key === undefined && list !== undefined) {
      tree[list] = [...(tree[list] as readonly string[]), value];
      continue;
    }
    const name = key ?? first;
    list = lists.includes(name) ? name : undefined;
    tree[name] = list === undefined ? parse(name, value) : [...listAt(tree, name), value];
  }
  return tree;
}

function listAt(tree: JsonObject, name: string): readonly string[] {
  return Object.hasOwn(tree, name) ? (tree[name] as readonly string[]) : [];
}

function itemsOf(text: string) {
  const item = /\s*(?:([a-z]+)=)?("(?:[^"]|"")*"(?=,|$)|[^,]*)(,|$)/iy;
  const items: { readonly key: string | undefined; readonly value: string }[] = [];
  for (let end = ","; end === ","; ) {
    const [, key, value = "", mark = ""] = item.exec(text) ?? [];
    const isQuoted = value.length > 1 && value.startsWith('"');
    items.push({ key, value: isQuoted ? value.slice(1, -1).replaceAll('""', '"') : value });
    end = mark;
  }
  return items;
}
