import type { Compilable, CompiledQuery } from "kysely";

/** A query whose SQL is made once, when it is first run; only its values change from run to run. */
export interface Statement<Values, Row> {
  readonly sql: string;
  /** What stands for the question marks of `sql`, in their order. */
  bind(values: Values): unknown[];
  /** Never there: ties the type of the rows to the statement. */
  readonly row?: Row;
}

class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/**
 * Makes the statement that `build` describes. What `build` is given only marks the places of values:
 * nothing may be computed from it.
 */
export function statement<Values extends object, Row>(
  build: (values: Values) => Compilable<Row>,
): Statement<Values, Row> {
  const places = new Proxy({}, { get: (_, name) => new Placeholder(String(name)) });
  let compiled: CompiledQuery<Row> | undefined;
  const query = () => {
    compiled ??= build(places as Values).compile();
    return compiled;
  };
  const given = (values: Values) => values as Readonly<Record<string, unknown>>;
  return {
    get sql() {
      return query().sql;
    },
    bind: (values) =>
      query().parameters.map((parameter) =>
        parameter instanceof Placeholder ? given(values)[parameter.name] : parameter,
      ),
  };
}
