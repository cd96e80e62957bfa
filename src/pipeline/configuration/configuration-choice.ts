import type { ErrorObject } from "ajv/dist/2020.js";

/**
 * Where a value may have one of several forms, ajv reports what is wrong with it in the eyes of every
 * form. Leaves the errors of the form that was most likely meant, or that none fits.
 */
export function errorsThatMatter(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const choices = errors.filter(isChoice);
  const isOutermost = (error: ErrorObject) => !choices.some((choice) => isInside(error, choice));
  return errors.filter(isOutermost).flatMap((error) =>
    isChoice(error)
      ? errorsOfChoice(
          error,
          errors.filter((inner) => isInside(inner, error)),
        )
      : [error],
  );
}

function isChoice({ keyword }: ErrorObject): boolean {
  return keyword === "anyOf" || keyword === "oneOf";
}

function isInside(inner: ErrorObject, choice: ErrorObject): boolean {
  return (
    inner.schemaPath.startsWith(`${choice.schemaPath}/`) &&
    (inner.instancePath === choice.instancePath ||
      inner.instancePath.startsWith(`${choice.instancePath}/`))
  );
}

function errorsOfChoice(
  choice: ErrorObject,
  inner: readonly ErrorObject[],
): readonly ErrorObject[] {
  const isAtChoice = ({ instancePath }: ErrorObject) => instancePath === choice.instancePath;
  const forms = new Map<string, ErrorObject[]>();
  for (const error of inner) {
    const form = error.schemaPath.slice(choice.schemaPath.length + 1).split("/", 1)[0] ?? "";
    forms.set(form, [...(forms.get(form) ?? []), error]);
  }
  const [nearest] = [...forms.values()]
    .map(errorsThatMatter)
    .filter((errors) => !errors.some((one) => isAtChoice(one) && isOtherKind(one)))
    .sort((one, other) => misfit(one, isAtChoice) - misfit(other, isAtChoice));
  return nearest ?? [choice];
}

/** The value is of another kind altogether than this form. */
function isOtherKind(error: ErrorObject): boolean {
  return error.keyword === "type" || isChoice(error);
}

/** Wrong or missing members of the value itself tell more about the form than what is in them. */
function misfit(
  errors: readonly ErrorObject[],
  isAtChoice: (error: ErrorObject) => boolean,
): number {
  return errors.reduce((sum, error) => sum + (isAtChoice(error) ? 100 : 1), 0);
}
