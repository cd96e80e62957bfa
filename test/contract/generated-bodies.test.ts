import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AnyObject } from "../../src/contract/fields.js";
import { noBody, type Route } from "../../src/contract/route.js";
import { type OperationName, routes } from "../../src/contract/routes.js";
import { mutationsOf } from "../support/body-mutations.js";
import { type GeneratedBodyOptions, validValues } from "../support/generated-body.js";
import { requestSchema } from "../support/json-schema.js";
import { propertyRuns, someOf } from "../support/property-runs.js";
import { startTestService, type TestService } from "../support/service.js";
import { existing, needingState, type Peculiarities, peculiarities } from "./body-peculiarities.js";

const BODIES = propertyRuns(20);
const FULL_BODIES = propertyRuns(5);

/** Fields that the service creates if they are absent or empty. */
const derived: ReadonlySet<string> = new Set(["id", "baseID", "returnValue", "returnValueJson5"]);

const table = Object.entries<Route>(routes).filter(
  ([name, { access, body }]) =>
    access === "console" && body !== noBody && !needingState.includes(name as OperationName),
);

describe.each(someOf(table, 3))("generated bodies of %s", (name, route) => {
  const { fit = unchanged, hidden = [] }: Peculiarities =
    peculiarities[name as OperationName] ?? {};
  const schema = requestSchema(route.body);
  let service: TestService;
  let path: string;

  beforeEach(async () => {
    service = await startTestService();
    path = await pathOf(service, route);
  });

  afterEach(() => service.close());

  const bodies = (options: GeneratedBodyOptions) =>
    validValues(schema, options).map((body) => fit(body as AnyObject));

  const expectEchoed = async (body: AnyObject) => {
    const { status, json } = await service.call<AnyObject>({ method: route.method, path, body });
    expect({ status, errors: json.errors }).toEqual({ status: route.status, errors: undefined });
    try {
      const shown = Object.entries(body).filter(([field]) => !hidden.includes(field));
      const expected = withDerived(Object.fromEntries(shown), json.data) as AnyObject;
      expect(picked(json.data, Object.keys(expected))).toEqual(expected);
    } finally {
      await removeCreated(service, route, json.data);
    }
  };

  it("are accepted and echoed", async () => {
    await fc.assert(fc.asyncProperty(bodies({}), expectEchoed), { numRuns: BODIES });
  });

  it("are accepted and echoed with every field", async () => {
    const numRuns = FULL_BODIES;
    await fc.assert(fc.asyncProperty(bodies({ full: true }), expectEchoed), { numRuns });
  });

  it("are refused for a single fault, and only this fault is reported", async () => {
    const [valid] = fc.sample(bodies({ full: true }), 1);
    for (const { title, property, body } of mutationsOf(schema, valid)) {
      // A text would be sent as it is, and not as JSON.
      const sent = JSON.stringify(body);
      const { status, json } = await service.call({ method: route.method, path, body: sent });
      const properties = (json.errors ?? []).map((fault) => fault.property);
      const others = properties.filter((other) => !isWithin(property, other));
      expect({ title, status, named: properties.includes(property), others }, property).toEqual({
        title,
        status: 400,
        named: true,
        others: [],
      });
    }
  });
});

function unchanged(body: AnyObject): AnyObject {
  return body;
}

function isWithin(property: string, other: string): boolean {
  return other === property || other.startsWith(`${property}[`) || other.startsWith(`${property}.`);
}

/** The route's path; where it has a parameter, that of an entity that is created for it. */
async function pathOf(service: TestService, route: Route): Promise<string> {
  const [parameter] = Object.keys(route.params.shape);
  if (parameter === undefined) return route.path;
  const { json } = await service.call<AnyObject>({
    method: "POST",
    path: collectionOf(route),
    body: existing[route.group],
  });
  return route.path.replace(`{${parameter}}`, encodeURIComponent(String(json.data[parameter])));
}

/** Lets the next body have the same name; the entity of the route stays. */
async function removeCreated(service: TestService, route: Route, data: AnyObject): Promise<void> {
  if (/^existing$/i.test(String(data["name"])) || data["version"] !== 1) return;
  const id = encodeURIComponent(String(data["id"] ?? data["name"]));
  await service.call({ method: "DELETE", path: `${collectionOf(route)}/${id}` });
}

/** `/gates/{id}/archive` → `/gates`. */
function collectionOf({ path }: Route): string {
  return path.replace(/\/\{.*$/, "");
}

/** Returns the sent body with the fields that the service added. */
function withDerived(sent: unknown, received: unknown): unknown {
  if (Array.isArray(sent)) {
    return sent.map((item, index) => withDerived(item, (received as unknown[] | null)?.[index]));
  }
  if (typeof sent !== "object" || sent === null) return sent;
  const { ...made } = received as AnyObject | undefined;
  const kept = Object.entries(sent).map(([name, value]) => [name, withDerived(value, made[name])]);
  const added = Object.entries(made).filter(([name]) => isMade(name, sent as AnyObject));
  return Object.fromEntries([...kept, ...added]);
}

function isMade(name: string, sent: AnyObject): boolean {
  return derived.has(name) && (sent[name] ?? "") === "";
}

function picked(data: AnyObject, names: readonly string[]): AnyObject {
  return Object.fromEntries(names.map((name) => [name, data[name]]));
}
