import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import { kindOf } from "../contract/fields.js";
import type { CheckFault, SchemaQuestion } from "./schema-checker.js";

const TOO_LARGE = "is too large, is nested too deep, or refers to itself without end";

const DIALECT = "https://json-schema.org/draft/2020-12/schema";

/** Maximum characters of a reason: a schema can put texts of any length into it. */
const REASON_CHARACTERS_MAX = 300;

/**
 * Follows the standard exactly: unknown keywords and formats are ignored, only own properties count.
 * References reach only schemas of the standard itself; nothing is fetched.
 */
const options = {
  strict: false,
  validateFormats: false,
  validateSchema: false,
  ownProperties: true,
  // Inlining referenced schemas creates code of exponential size.
  inlineRefs: false,
  logger: false,
} as const;

const standard = new Ajv2020(options);

/** Returns the fault of a schema, or those of the values that do not fit it. May take very long. */
export function checkSchema({ schema: text, values }: SchemaQuestion): CheckFault[] {
  const schema: unknown = JSON.parse(text);
  try {
    const fault = schemaFault(schema);
    if (fault !== undefined) return [{ value: undefined, reason: fault }];
    const fits = compile(schema as object | boolean);
    return values.flatMap((value, index) =>
      fits(value) ? [] : [{ value: index, reason: reasonOf(fits) }],
    );
  } catch (error) {
    return [{ value: undefined, reason: short(describe(error)) }];
  }
}

function schemaFault(schema: unknown): string | undefined {
  if (kindOf(schema) !== "object" && typeof schema !== "boolean") {
    return `Expected object or boolean, received ${kindOf(schema)}`;
  }
  const { $schema: dialect = DIALECT } = schema as { readonly $schema?: unknown };
  if (dialect !== DIALECT && dialect !== `${DIALECT}#`) {
    return short(`$schema must be ${DIALECT}, received ${JSON.stringify(dialect)}`);
  }
  // Looks the dialect up by name, because a schema without `$schema` has it too.
  const isSchema = standard.getSchema(DIALECT) as ValidateFunction;
  return isSchema(schema) ? undefined : reasonOf(isSchema);
}

/** Compiles each schema separately: no schema may see the identifiers of another. */
function compile(schema: object | boolean): ValidateFunction {
  const compiler = new Ajv2020(options);
  // A keyword of older drafts. The standard ignores it, this compiler refuses it.
  compiler.removeKeyword("id");
  if (typeof schema === "boolean") return compiler.compile(schema);
  // A keyword of this compiler only, which would make the result a promise.
  const { $async: _, ...plain } = schema as { readonly $async?: unknown };
  return compiler.compile(plain);
}

function reasonOf({ errors }: ValidateFunction): string {
  const [error] = errors ?? [];
  if (error === undefined) return "does not fit";
  const { instancePath, message = "does not fit" } = error;
  return short(`${instancePath === "" ? "" : `${instancePath} `}${message}${detailOf(error)}`);
}

/** Returns the detail that the message of the error lacks. */
function detailOf({ params }: ErrorObject): string {
  const { additionalProperty, unevaluatedProperty, allowedValues, allowedValue } = params;
  const detail = additionalProperty ?? unevaluatedProperty ?? allowedValues ?? allowedValue;
  return detail === undefined ? "" : `: ${JSON.stringify(detail)}`;
}

function describe(error: unknown): string {
  if (error instanceof RangeError) return TOO_LARGE;
  return (error as Error).message;
}

function short(reason: string): string {
  if (reason.length <= REASON_CHARACTERS_MAX) return reason;
  return `${reason.slice(0, REASON_CHARACTERS_MAX)}…`;
}
