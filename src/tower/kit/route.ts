/**
 * How a page is asked for. A route says its address, what reads its query and form, what it finds and what it answers; who may ask,
 * the bounds of forms and the order of the checks stand here: the gate, what the address names, the form, the handler.
 */
import type { AnyElysia } from "elysia";
import type { Actor } from "../../platform/access.ts";
import { type FormBounds, readForm } from "../form.ts";
import type { Safe } from "../jsx/safe.ts";
import type { PageDeps } from "../page_deps.ts";
import type { NamesIn, Place } from "../paths.ts";
import { momentOf } from "./once.ts";
import { type Reader, type Visit, type VisitDeps, visitOf, type Who } from "./visit.ts";

/** Who may ask, and what is asked of them before their form counts. */
export interface Gate<Deps, W extends Who> {
  /** Who asks. Throws what turns others away, before anything of a form is read. */
  readonly enter: (request: Request, deps: Deps) => W;
  /** What a form of theirs may be. */
  readonly form?: FormBounds | undefined;
  /** Judges a form that was read by who sent it. Throws what is asked of them first. */
  readonly confirm?: (request: Request, deps: Deps, who: W, form: URLSearchParams) => Promise<void>;
}

type Params<Pattern extends string> = { readonly [name in NamesIn<Pattern>]: string };

/** What a route may say beside its address. Without a reader the query, or the form, is handed on as it was sent. */
export interface Spec<Pattern extends string, Query, Form, Found> {
  readonly query?: Reader<Query>;
  readonly form?: Reader<Form>;
  /** Finds what the address names, before a form is read. Throws a `Problem` where there is no such thing. */
  readonly find?: (params: Params<Pattern>, at: Moment) => Found;
}

/** The request that something is found for, and when it is answered. */
export interface Moment {
  readonly request: Request;
  readonly now: number;
}

type Method = "GET" | "POST" | "PUT" | "DELETE";
type Answer = Safe | Response | Promise<Safe | Response>;

/** A route as the application mounts it. */
export interface Route<Deps> {
  readonly method: Method;
  readonly pattern: string;
  readonly answer: (
    request: Request,
    params: Readonly<Record<string, string>>,
    deps: Deps,
  ) => Promise<Response>;
}

/** Makes a route of one method. */
export type RouteMaker<Deps, W extends Who> = <
  const Pattern extends string,
  Query = URLSearchParams,
  Form = URLSearchParams,
  Found = undefined,
>(
  place: Pattern | Place<Pattern>,
  spec: Spec<Pattern, Query, Form, Found>,
  handle: (visit: Visit<W, Params<Pattern>, Query, Form, Found>) => Answer,
) => Route<Deps & VisitDeps<W["actor"]>>;

/** The makers of routes behind one gate. */
export interface Routes<Deps, W extends Who> {
  readonly get: RouteMaker<Deps, W>;
  readonly post: RouteMaker<Deps, W>;
  readonly put: RouteMaker<Deps, W>;
  readonly remove: RouteMaker<Deps, W>;
}

/** Routes for those whom a gate lets in. */
export function routesBehind<Deps, W extends Who>(gate: Gate<Deps, W>): Routes<Deps, W> {
  const maker =
    (method: Method): RouteMaker<Deps, W> =>
    (place, spec, handle) => ({
      method,
      pattern: typeof place === "string" ? place : place.pattern,
      answer: async (request, named, deps) => {
        const who = gate.enter(request, deps);
        const params = named as Parameters<NonNullable<typeof spec.find>>[0];
        // Read only where it is asked for: a form may be ten seconds on its way, and what it does is done when it is there.
        const at = {
          request,
          get now() {
            return momentOf(request, deps.clock);
          },
        };
        const found = spec.find?.(params, at);
        const form = method === "GET" ? new URLSearchParams() : await readForm(request, gate.form);
        if (method !== "GET") await gate.confirm?.(request, deps, who, form);
        const search = new URL(request.url).searchParams;
        const query = (spec.query ?? AS_SENT).read(search);
        const read = { request, who, params, query, search, form: (spec.form ?? AS_SENT).read(form), found };
        const visit = visitOf(read, deps);
        const answer = await handle(visit as Parameters<typeof handle>[0]);
        return answer instanceof Response ? answer : visit.page(answer);
      },
    });
  return { get: maker("GET"), post: maker("POST"), put: maker("PUT"), remove: maker("DELETE") };
}

/** Hands on what was sent, where a route says no reader. */
const AS_SENT: Reader<URLSearchParams> = { read: (sent) => sent };

/** A signed-in operator, or who a proxy named. */
export interface SignedInActor {
  readonly actor: Actor;
}

/** Whoever is signed in; an unsafe method must come from our own pages. */
export const { get, post, put, remove } = routesBehind({
  enter: (request, { access }: Pick<PageDeps, "access">): SignedInActor => ({ actor: access.page(request) }),
});

/** Routes with what they need, ready to be used by an application. The form is read here, never by the application. */
export function mounted<Deps>(deps: Deps, routes: readonly Route<Deps>[]) {
  return <App extends AnyElysia>(app: App): App => {
    for (const { method, pattern, answer } of routes) {
      app.route(method, pattern, ({ request, params }) => answer(request, params, deps), { parse: "none" });
    }
    return app;
  };
}
