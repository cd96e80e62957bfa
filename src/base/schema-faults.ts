/**
 * Checks values against the JSON Schemas (2020-12) of our own: of configurations, mappings, manifests
 * and reports. It walks a schema as it stands, because compiling one at every start, as ajv does, took
 * half of the time that a small export needs (250 of 450 ms); ajv remains where users bring schemas.
 * Finds the same faults as ajv with `allErrors` and `verbose`, in the same order and words.
 */
export interface SchemaFault {
  /** Where in the value, as a JSON pointer. */
  readonly instancePath: string;
  /** The keyword that fails, as a pointer into the schema. */
  readonly schemaPath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** Completes a sentence of which the value is the subject. */
  readonly message: string;
  /** The schema that the keyword stands in. */
  readonly parentSchema: Schema;
  /** The value that the keyword is about. */
  readonly data: unknown;
}

export type Schema = Readonly<Record<string, unknown>>;

/** Which texts fit the `format` of that name. */
export type TextFormats = Readonly<Record<string, { accepts(text: string): boolean }>>;

interface Check {
  readonly root: Schema;
  readonly formats: TextFormats | undefined;
  readonly faults: SchemaFault[];
  /** Schemas of which every keyword is known. */
  readonly known: Set<Schema>;
}

/** A value and the schema that it is to fit, each with where it stands. */
interface Pair {
  readonly schema: Schema;
  readonly schemaPath: string;
  readonly value: unknown;
  readonly instancePath: string;
}

type Members = Readonly<Record<string, unknown>>;

/**
 * All faults at once; none where the value fits. Without `formats` that keyword means nothing. A
 * keyword that is not known here is a bug of whoever wrote the schema, and is thrown.
 */
export function findSchemaFaults(
  schema: Schema,
  value: unknown,
  formats?: TextFormats,
): readonly SchemaFault[] {
  const check: Check = { root: schema, formats, faults: [], known: new Set() };
  checkPair(check, { schema, schemaPath: "#", value, instancePath: "" });
  return check.faults;
}

function checkPair(check: Check, pair: Pair): void {
  const { schema, value } = pair;
  const reference = schema["$ref"];
  if (typeof reference === "string") {
    checkPair(check, { ...pair, schema: resolve(check.root, reference), schemaPath: reference });
  }
  if (!check.known.has(schema)) {
    refuseUnknown(schema);
    check.known.add(schema);
  }
  checkType(check, pair);
  if (typeof value === "number" && Number.isFinite(value)) checkNumber(check, pair, value);
  else if (typeof value === "string") checkText(check, pair, value);
  checkChoices(check, pair);
  if (Array.isArray(value)) checkItems(check, pair, value);
  else if (isObject(value)) checkMembers(check, pair, value);
}

/** Of the keywords that say something; the others are for readers and editors. */
const keywords: ReadonlySet<string> = new Set([
  ...["$ref", "type", "minimum", "maximum", "exclusiveMinimum", "minLength", "pattern", "format"],
  ...["const", "enum", "anyOf", "minItems", "maxItems", "uniqueItems", "prefixItems", "items"],
  ...["minProperties", "required", "additionalProperties", "properties"],
  ...["$schema", "$id", "$defs", "title", "description", "default"],
  ...["allowComments", "allowTrailingCommas"],
]);

function refuseUnknown(schema: Schema): void {
  for (const keyword in schema) {
    if (!keywords.has(keyword)) throw new Error(`no keyword of our schemas: ${keyword}`);
  }
}

function resolve(root: Schema, reference: string): Schema {
  const name = /^#\/\$defs\/([^/]+)$/.exec(reference)?.[1] ?? "";
  const definitions = (root["$defs"] ?? {}) as Readonly<Record<string, Schema>>;
  const found = Object.hasOwn(definitions, name) ? definitions[name] : undefined;
  if (found === undefined) throw new Error(`no definition in our schema: ${reference}`);
  return found;
}

function checkType(check: Check, pair: Pair): void {
  const type = pair.schema["type"] as string | readonly string[] | undefined;
  if (type === undefined) return;
  const fits = typeof type === "string" ? isOf(type, pair.value) : type.some(isOfPair, pair);
  if (!fits) addFault(check, pair, "type", { type }, `must be ${String(type)}`);
}

function isOfPair(this: Pair, type: string): boolean {
  return isOf(type, this.value);
}

function isOf(type: string, value: unknown): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return isObject(value);
    case "integer":
      return Number.isInteger(value);
    case "number":
      return Number.isFinite(value);
    default:
      return typeof value === type;
  }
}

function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function checkNumber(check: Check, pair: Pair, value: number): void {
  const { maximum, minimum, exclusiveMinimum } = pair.schema as Readonly<Record<string, number>>;
  if (maximum !== undefined && value > maximum) limitFault(check, pair, "maximum", "<=", maximum);
  if (minimum !== undefined && value < minimum) limitFault(check, pair, "minimum", ">=", minimum);
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum) {
    limitFault(check, pair, "exclusiveMinimum", ">", exclusiveMinimum);
  }
}

function limitFault(
  check: Check,
  pair: Pair,
  keyword: string,
  comparison: string,
  limit: number,
): void {
  addFault(check, pair, keyword, { comparison, limit }, `must be ${comparison} ${limit}`);
}

function checkText(check: Check, pair: Pair, value: string): void {
  const minLength = pair.schema["minLength"] as number | undefined;
  if (minLength !== undefined && [...value].length < minLength) {
    tooFew(check, pair, "minLength", minLength, "characters");
  }
  const pattern = pair.schema["pattern"] as string | undefined;
  if (pattern !== undefined && !new RegExp(pattern, "u").test(value)) {
    addFault(check, pair, "pattern", { pattern }, `must match pattern "${pattern}"`);
  }
  const format = pair.schema["format"] as string | undefined;
  if (format === undefined || check.formats === undefined) return;
  const known = check.formats[format];
  if (known === undefined) throw new Error(`no format of our schemas: ${format}`);
  if (!known.accepts(value)) {
    addFault(check, pair, "format", { format }, `must match format "${format}"`);
  }
}

function tooFew(check: Check, pair: Pair, keyword: string, limit: number, what: string): void {
  addFault(check, pair, keyword, { limit }, `must NOT have fewer than ${limit} ${what}`);
}

/** Constants of our schemas are texts and numbers, never objects. */
function checkChoices(check: Check, pair: Pair): void {
  const { schema, value } = pair;
  if ("const" in schema && value !== schema["const"]) {
    const params = { allowedValue: schema["const"] };
    addFault(check, pair, "const", params, "must be equal to constant");
  }
  const allowedValues = schema["enum"] as readonly unknown[] | undefined;
  if (allowedValues !== undefined && !allowedValues.includes(value)) {
    const message = "must be equal to one of the allowed values";
    addFault(check, pair, "enum", { allowedValues }, message);
  }
  const forms = schema["anyOf"] as readonly Schema[] | undefined;
  if (forms !== undefined) checkForms(check, pair, forms);
}

/** The faults of all forms, in the case that none fits. */
function checkForms(check: Check, pair: Pair, forms: readonly Schema[]): void {
  const { faults } = check;
  const before = faults.length;
  for (const [index, schema] of forms.entries()) {
    const faultsBefore = faults.length;
    checkPair(check, { ...pair, schema, schemaPath: `${pair.schemaPath}/anyOf/${index}` });
    if (faults.length === faultsBefore) {
      faults.length = before;
      return;
    }
  }
  addFault(check, pair, "anyOf", {}, "must match a schema in anyOf");
}

function checkItems(check: Check, pair: Pair, value: readonly unknown[]): void {
  const { schema, schemaPath } = pair;
  const { minItems, maxItems } = schema as Readonly<Record<string, number>>;
  if (maxItems !== undefined && value.length > maxItems) tooMany(check, pair, "maxItems", maxItems);
  if (minItems !== undefined && value.length < minItems) {
    tooFew(check, pair, "minItems", minItems, "items");
  }
  const first = (schema["prefixItems"] ?? []) as readonly Schema[];
  const items = schema["items"] as Schema | undefined;
  for (const [index, item] of value.entries()) {
    const own = first[index];
    const itemSchema = own ?? items;
    if (itemSchema === undefined) break;
    checkPair(check, {
      schema: itemSchema,
      schemaPath: `${schemaPath}/${own === undefined ? "items" : `prefixItems/${index}`}`,
      value: item,
      instancePath: `${pair.instancePath}/${index}`,
    });
  }
  if (schema["uniqueItems"] === true) checkUnique(check, pair, value);
}

function tooMany(check: Check, pair: Pair, keyword: string, limit: number): void {
  addFault(check, pair, keyword, { limit }, `must NOT have more than ${limit} items`);
}

/** Of texts: lists that must not repeat themselves hold nothing else. From the end, as ajv does. */
function checkUnique(check: Check, pair: Pair, value: readonly unknown[]): void {
  const places = new Map<string, number>();
  for (let i = value.length - 1; i >= 0; i--) {
    const item = value[i];
    if (typeof item !== "string") continue;
    const j = places.get(item);
    if (j !== undefined) {
      const message = `must NOT have duplicate items (items ## ${j} and ${i} are identical)`;
      addFault(check, pair, "uniqueItems", { i, j }, message);
      return;
    }
    places.set(item, i);
  }
}

function checkMembers(check: Check, pair: Pair, value: Members): void {
  const { schema, schemaPath } = pair;
  const limit = schema["minProperties"] as number | undefined;
  const names = Object.keys(value);
  if (limit !== undefined && names.length < limit) {
    tooFew(check, pair, "minProperties", limit, "properties");
  }
  for (const missingProperty of (schema["required"] ?? []) as readonly string[]) {
    if (memberOf(value, missingProperty) !== undefined) continue;
    const message = `must have required property '${missingProperty}'`;
    addFault(check, pair, "required", { missingProperty }, message);
  }
  const properties = (schema["properties"] ?? {}) as Readonly<Record<string, Schema>>;
  const checkMember = (name: string, of: Schema, path: string) =>
    checkPair(check, {
      schema: of,
      schemaPath: `${schemaPath}/${path}`,
      value: value[name],
      instancePath: `${pair.instancePath}/${escapeStep(name)}`,
    });
  const others = schema["additionalProperties"] as Schema | false | undefined;
  for (const name of others === undefined ? [] : names) {
    if (Object.hasOwn(properties, name)) continue;
    if (others) checkMember(name, others, "additionalProperties");
    else additionalFault(check, pair, name);
  }
  for (const name of Object.keys(properties)) {
    if (memberOf(value, name) === undefined) continue;
    checkMember(name, properties[name] as Schema, `properties/${name}`);
  }
}

function memberOf(value: Members, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

function additionalFault(check: Check, pair: Pair, additionalProperty: string): void {
  const message = "must NOT have additional properties";
  addFault(check, pair, "additionalProperties", { additionalProperty }, message);
}

function escapeStep(name: string): string {
  return /[~/]/.test(name) ? name.replaceAll("~", "~0").replaceAll("/", "~1") : name;
}

function addFault(
  { faults }: Check,
  { schema, schemaPath, instancePath, value }: Pair,
  keyword: string,
  params: SchemaFault["params"],
  message: string,
): void {
  const path = `${schemaPath}/${keyword}`;
  const place = { instancePath, schemaPath: path, keyword, params, message };
  faults.push({ ...place, parentSchema: schema, data: value });
}
