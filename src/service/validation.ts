import type { z } from "zod";
import { type Fault, faultsOf } from "../contract/faults.js";
import { noParams, noQuery, type Route } from "../contract/route.js";
import type { Call } from "./handler.js";
import { invalid } from "./service-error.js";

/** The parts of a request that a route has a schema for. */
export interface Inputs {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

/** What a handler gets of a request, as the schemas of its route make it. */
export type FittedInputs = Pick<Call<Route>, "params" | "query" | "body">;

/** What the schemas of a route make of a request. Throws 400 with the faults of all parts at once. */
export function validated(route: Route, { params, query, body }: Inputs): FittedInputs {
  const faults: Fault[] = [];
  const inputs = {
    params: route.params === noParams ? {} : fitted(route.params, params, faults),
    query: route.query === noQuery ? {} : fitted(route.query, query, faults),
    body: fitted(route.body, body, faults),
  };
  if (faults.length > 0) throw invalid(faults);
  return inputs as FittedInputs;
}

function fitted<Schema extends z.ZodType>(schema: Schema, value: unknown, faults: Fault[]) {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  for (const fault of faultsOf(result.error)) faults.push(fault);
  return undefined;
}
