import type { SchemaFault } from "../../base/schema-faults.js";

/**
 * Where a value may have one of several forms, a check reports what is wrong with it in the eyes of
 * every form. Leaves the faults of the form that was most likely meant, or that none fits.
 */
export function faultsThatMatter(faults: readonly SchemaFault[]): readonly SchemaFault[] {
  const choices = faults.filter(isChoice);
  const isOutermost = (fault: SchemaFault) => !choices.some((choice) => isInside(fault, choice));
  return faults.filter(isOutermost).flatMap((fault) =>
    isChoice(fault)
      ? faultsOfChoice(
          fault,
          faults.filter((inner) => isInside(inner, fault)),
        )
      : [fault],
  );
}

function isChoice({ keyword }: SchemaFault): boolean {
  return keyword === "anyOf" || keyword === "oneOf";
}

function isInside(inner: SchemaFault, choice: SchemaFault): boolean {
  return (
    inner.schemaPath.startsWith(`${choice.schemaPath}/`) &&
    (inner.instancePath === choice.instancePath ||
      inner.instancePath.startsWith(`${choice.instancePath}/`))
  );
}

function faultsOfChoice(
  choice: SchemaFault,
  inner: readonly SchemaFault[],
): readonly SchemaFault[] {
  const isAtChoice = ({ instancePath }: SchemaFault) => instancePath === choice.instancePath;
  const forms = new Map<string, SchemaFault[]>();
  for (const fault of inner) {
    const form = fault.schemaPath.slice(choice.schemaPath.length + 1).split("/", 1)[0] ?? "";
    forms.set(form, [...(forms.get(form) ?? []), fault]);
  }
  const [nearest] = [...forms.values()]
    .map(faultsThatMatter)
    .filter((faults) => !faults.some((one) => isAtChoice(one) && isOtherKind(one)))
    .sort((one, other) => misfit(one, isAtChoice) - misfit(other, isAtChoice));
  return nearest ?? [choice];
}

/** The value is of another kind altogether than this form. */
function isOtherKind(fault: SchemaFault): boolean {
  return fault.keyword === "type" || isChoice(fault);
}

/** Wrong or missing members of the value itself tell more about the form than what is in them. */
function misfit(
  faults: readonly SchemaFault[],
  isAtChoice: (fault: SchemaFault) => boolean,
): number {
  return faults.reduce((sum, fault) => sum + (isAtChoice(fault) ? 100 : 1), 0);
}
