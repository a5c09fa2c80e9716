/** The query of a request to the API, read by the filters that its route names. */
import type { Filter, Filters, ReadBy } from "./filters.ts";
import { Problem } from "./problem.ts";

/** What a query can be refused for. */
export const QUERY_REFUSALS = ["malformed-query"] as const;

export class Query<F extends Filters> {
  readonly #params: URLSearchParams;
  readonly #filters: F;

  /** Refuses a parameter that the route does not know, so that a typo never widens an answer in silence. */
  constructor(request: Request, filters: F, others: readonly string[] = []) {
    this.#params = new URL(request.url).searchParams;
    this.#filters = filters;
    const known = new Set([...others, ...Object.keys(filters)]);
    for (const name of this.#params.keys()) {
      if (!known.has(name))
        throw malformed(name, `is not known here; known are ${[...known].sort().join(", ")}`);
      if (this.#params.getAll(name).length > 1) throw malformed(name, "may be given once");
    }
  }

  /** What a filter says; undefined where it is not given. */
  value<K extends keyof F & string>(name: K): ReadBy<F[K]> | undefined {
    const filter: Filter<unknown> | undefined = this.#filters[name];
    const given = this.given(name);
    if (given === null || filter === undefined) return undefined;
    const value = filter.read(given);
    if (value === undefined) throw malformed(name, filter.rule);
    return value as ReadBy<F[K]>;
  }

  /** A parameter as it was sent. */
  protected given(name: string): string | null {
    return this.#params.get(name);
  }
}

/** A refused query parameter. */
export function malformed(name: string, rule: string): Problem {
  return new Problem("malformed-query", `${name} ${rule}.`, {
    errors: [{ pointer: `/${name}`, rule: "query", message: rule }],
  });
}
