import type { JsonSchema } from "../contract/openapi-types.js";
import { type Html, type HtmlValue, html, inlineText, joined } from "./html.js";

/** One row of a table of fields. */
interface FieldRow {
  /** From the outermost object: `rules[].name`. */
  readonly path: string;
  readonly schema: JsonSchema;
  readonly isRequired: boolean;
}

/** The document's named schemas. */
export type Components = Readonly<Record<string, JsonSchema>>;

/** The fields of an object, those of objects inside it too; undefined where it has none of its own. */
export function fieldTable(schema: JsonSchema, components: Components): Html | undefined {
  const rows = fieldRows(schema, "");
  if (rows.length === 0) return undefined;
  return html`<div class="wide"><table>
<thead><tr><th>Field</th><th>Type</th><th>Meaning</th></tr></thead>
<tbody>
${rows.map((row) => rowHtml(row, components))}</tbody>
</table></div>
`;
}

export function schemaAnchor(name: string): string {
  return `schema-${name}`;
}

/** Name of the component that a reference leads to. */
export function referredName(schema: JsonSchema): string | undefined {
  return schema.$ref?.replace("#/components/schemas/", "");
}

/** `list of Rule or null`, with links to the components. */
export function typeHtml(schema: JsonSchema): HtmlValue {
  const name = referredName(schema);
  if (name !== undefined) return html`<a href="#${schemaAnchor(name)}">${name}</a>`;
  const forms = (schema.anyOf ?? schema.oneOf) as readonly JsonSchema[] | undefined;
  if (forms !== undefined) return joined(forms.map(typeHtml), " or ");
  if (isNumeric(schema)) return `${schema.multipleOf === 1 ? "integer" : "number"}, or its text`;
  if (schema.type === "array") return ["list of ", typeHtml((schema.items ?? {}) as JsonSchema)];
  if (schema.type === undefined) return "any";
  return [schema.type].flat().join(" or ");
}

/** Bounds, allowed values and default in words; empty where everything goes. */
export function boundsHtml(schema: JsonSchema): readonly HtmlValue[] {
  const facts = [schema, ...formsOf(schema)].flatMap(factsOf);
  const unique = [...new Map(facts.map((fact) => [fact.text, fact])).values()];
  return unique.length === 0 ? [] : [html` <small>${joined(unique, "; ")}.</small>`];
}

function rowHtml({ path, schema, isRequired }: FieldRow, components: Components): Html {
  const required = isRequired ? html` <span class="required">required</span>` : undefined;
  const meaning = inlineText(meaningOf(schema, components));
  return html`<tr><td><code>${path}</code>${required}</td><td>${typeHtml(schema)}</td><td>${meaning}${boundsHtml(schema)}</td></tr>
`;
}

/** Its own description, else that of the component that it is, or that it is a list of. */
function meaningOf(schema: JsonSchema, components: Components): string {
  if (schema.description !== undefined) return schema.description;
  if (schema.type === "array") return meaningOf((schema.items ?? {}) as JsonSchema, components);
  const name = referredName(schema);
  if (name !== undefined) return components[name]?.description ?? "";
  return formsOf(schema)
    .map((form) => meaningOf(form, components))
    .join(" ")
    .trim();
}

/** Components have tables of their own; what stands in the schema itself is unfolded. */
function fieldRows(schema: JsonSchema, at: string): readonly FieldRow[] {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>);
  const own = properties.flatMap(([name, property]) => {
    const path = at === "" ? name : `${at}.${name}`;
    const isRequired = schema.required?.includes(name) === true;
    return [{ path, schema: property, isRequired }, ...fieldRows(property, path)];
  });
  const inList = schema.items === undefined ? [] : fieldRows(schema.items as JsonSchema, `${at}[]`);
  const inForms = formsOf(schema).flatMap((form) => fieldRows(form, at));
  return [...own, ...inList, ...inForms];
}

function formsOf(schema: JsonSchema): readonly JsonSchema[] {
  return [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])] as readonly JsonSchema[];
}

/** Numbers that may also come as text. */
function isNumeric({ type }: JsonSchema): boolean {
  return Array.isArray(type) && type.includes("number") && type.includes("string");
}

function factsOf(schema: JsonSchema): readonly Html[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, pattern } = schema;
  return [
    ...allowedValues(schema),
    ...between(schema.minLength, schema.maxLength, "characters"),
    ...between(schema.minItems, schema.maxItems, "items"),
    ...between(minimum, maximum, ""),
    ...(exclusiveMinimum === undefined ? [] : [html`more than ${Number(exclusiveMinimum)}`]),
    ...(exclusiveMaximum === undefined ? [] : [html`less than ${Number(exclusiveMaximum)}`]),
    ...(pattern === undefined || isNumeric(schema) ? [] : [html`matches <code>${pattern}</code>`]),
    ...(schema.default === undefined
      ? []
      : [html`default <code>${JSON.stringify(schema.default)}</code>`]),
  ];
}

function allowedValues(schema: JsonSchema): readonly Html[] {
  if (schema.const !== undefined) return [html`always <code>${String(schema.const)}</code>`];
  const values = schema.enum?.filter((value) => !isNumeric(schema) || typeof value === "number");
  if (values === undefined) return [];
  return [
    html`one of ${joined(
      values.map((value) => html`<code>${String(value)}</code>`),
      ", ",
    )}`,
  ];
}

function between(min: number | undefined, max: number | undefined, unit: string): readonly Html[] {
  const words = unit === "" ? "" : ` ${unit}`;
  if (min !== undefined && max !== undefined) return [html`${min} to ${max}${words}`];
  if (min !== undefined) return [html`at least ${min}${words}`];
  if (max !== undefined) return [html`at most ${max}${words}`];
  return [];
}
