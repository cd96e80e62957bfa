import type { AnyObject } from "../contract/fields.js";
import { namedSteps } from "../contract/lifecycle-routes.js";
import type { EntityOperations } from "./entity-operations.js";
import type { EntityBody, EntityType } from "./entity-type.js";
import { identifierOf, identityFirst, newProvenance } from "./new-entity.js";
import type { WriteFacts } from "./write-facts.js";

interface Call<Body> extends WriteFacts {
  readonly body: Body;
}

interface OneCall<Body> extends Call<Body> {
  readonly params: { readonly id: string };
}

interface PlainOptions<Body> {
  /** Fields that a create omits. */
  readonly defaults: Partial<Body>;
  /** Fields that a full update does not reset. */
  readonly lasting?: readonly (keyof Body & string)[];
  /** Fields of a create that are not stored. */
  readonly unstored?: readonly string[];
  /** Returns the id of a new entity; derived from the name by default. */
  readonly idOf?: (name: string) => string;
  /** Returns the fields that follow from the others. May refuse with a 400. */
  readonly derived?: (next: Body, current: Body | undefined) => Partial<Body>;
}

/**
 * Returns the handlers that create and update entities whose fields are stored as they come: `create*`,
 * `replace*` and `patch*`.
 */
export function plainHandlers<const Name extends string, Body extends EntityBody>(
  name: Name,
  operations: EntityOperations,
  type: EntityType<Body>,
  options: PlainOptions<Body>,
) {
  const { defaults, lasting = [], unstored = [], idOf = identifierOf } = options;
  const { derived = () => ({}) } = options;
  const finished = (next: AnyObject, current?: Body): Body => {
    const stored = Object.entries(next).filter(([field]) => !unstored.includes(field));
    // The contract checks bodies, and defaults fill in the rest.
    const body = Object.fromEntries(stored) as unknown as Body;
    return { ...body, ...derived(body, current) };
  };
  const reset = Object.fromEntries(
    Object.entries(defaults).filter(([field]) => !lasting.some((one) => one === field)),
  );
  return namedSteps(name, {
    "create*": (call: Call<{ readonly name: string; readonly id?: string }>) =>
      operations.create(type, call, (stamp) =>
        finished({
          ...identityFirst,
          ...structuredClone(defaults),
          ...newProvenance(stamp),
          ...call.body,
          id: call.body.id ?? idOf(call.body.name),
        }),
      ),
    "replace*": (call: OneCall<object>) =>
      operations.change(type, call.params.id, call, (current) =>
        finished({ ...current, ...structuredClone(reset), ...call.body }, current),
      ),
    "patch*": (call: OneCall<object>) =>
      operations.change(type, call.params.id, call, (current) =>
        finished({ ...current, ...call.body }, current),
      ),
  });
}
