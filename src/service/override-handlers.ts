import type { AnyObject } from "../contract/fields.js";
import { namedSteps } from "../contract/lifecycle-routes.js";
import type { EntityOperations } from "./entity-operations.js";
import type { EntityBody, PartType } from "./entity-type.js";
import type { WriteFacts } from "./write-facts.js";

/** Returns a list of ids after others were added to it or removed from it. */
export type Combine = (ids: readonly string[], given: readonly string[]) => string[];

export const union: Combine = (ids, given) => [...new Set([...ids, ...given])];

const difference: Combine = (ids, given) => {
  const removed = new Set(given);
  return ids.filter((id) => !removed.has(id));
};

interface EntityCall {
  readonly params: { readonly id: string };
}

interface WriteCall<Request> extends WriteFacts, EntityCall {
  readonly body: Request;
}

/**
 * Returns the handlers of overrides: POST replaces all, PATCH adds, DELETE removes. `change` returns the
 * overrides after it adds or removes what is given.
 */
export function overrideHandlers<
  const Name extends string,
  Overrides extends AnyObject,
  Body extends EntityBody & Overrides,
  Owner extends EntityBody,
  Request,
>(
  name: Name,
  operations: EntityOperations,
  type: PartType<Body, Owner>,
  none: Overrides,
  change: (current: Overrides, given: Request, combine: Combine, owner: Owner) => Overrides,
) {
  const write = (combine: Combine, isWhole: boolean) => (call: WriteCall<Request>) =>
    operations.changePart(type, call.params.id, call, (current, owner) => ({
      ...current,
      ...change(isWhole ? none : current, call.body, combine, owner),
    }));
  return namedSteps(name, {
    "read*Overrides": ({ params: { id } }: EntityCall) => operations.readPart(type, id),
    "replace*Overrides": write(union, true),
    "add*Overrides": write(union, false),
    "remove*Overrides": write(difference, false),
  });
}
