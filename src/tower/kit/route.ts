/**
 * How a page is asked for. A route says its address, what reads its query and form, what it finds and what it answers; who may ask,
 * the bounds of forms and the order of the checks stand here: the gate, what the address names, the form, the handler.
 */

import type { AnyElysia } from "elysia";
import type { Actor, By } from "../../access/access.ts";
import type { Clock } from "../../base/base.ts";
import type { BrokenRule } from "../../base/contract.ts";
import { Problem } from "../../base/problem.ts";
import { readBody } from "../../base/receive.ts";
import { type InboxTally, inboxTally, tallySites } from "../../flags/inbox.ts";
import { listMonitoringFailures } from "../../health/monitoring.ts";
import type { HealthReader } from "../../integrations/reader.ts";
import type { Db } from "../../store/store.ts";
import type { PageGround } from "../ground.ts";
import type { Safe } from "../jsx/jsx-runtime.ts";
import type { Shell } from "../keyboard.tsx";
import type { NamesIn, Place } from "../paths.ts";
import { htmlFragment, htmlPage, isHtmx, type PageOptions, type SignedIn } from "../session.ts";
import { type Here, within } from "./here.ts";

/** What a page and the frame around it both show, read once for each request, which is about one site at most. */
function oncePerRequest<Of extends readonly unknown[], Value>(read: (...of: Of) => Value) {
  const held = new WeakMap<Request, { readonly value: Value }>();
  return (request: Request, ...of: Of): Value => {
    const known = held.get(request) ?? { value: read(...of) };
    held.set(request, known);
    return known.value;
  };
}

/** When a request is answered, in milliseconds since the epoch: one moment for the page and the frame around it. */
export const momentOf = oncePerRequest((clock: Clock) => clock.now());

/** What is open on each site. An act counts after it has written. */
export const siteTallies = oncePerRequest(tallySites);
/** What is open on all sites together. */
export function flagTally(request: Request, db: Db, now: number): InboxTally {
  return inboxTally(siteTallies(request, db, now).values());
}

/** What should be watched and is not. */
export const unwatched = oncePerRequest((db: Db) => listMonitoringFailures(db));
/** The same of the one site that a page is about. */
export const unwatchedOf = oncePerRequest((db: Db, asset: string) => listMonitoringFailures(db, { asset }));

/** How every integration stands: all of it, for the page and the frame around it. */
export const healthView = oncePerRequest((reader: HealthReader, now: number) => reader.read(now));

/** An address codec, or any reader of a query or a form. */
interface Reader<Value> {
  readonly read: (sent: URLSearchParams) => Value;
}

/** Who a gate let in; nobody at the doors before signing in. */
interface Who {
  readonly actor: Actor | null;
}

/** What is read of a request before its handler is called. */
interface Gathered<W extends Who, Params, Query, Form, Found> {
  readonly request: Request;
  readonly who: W;
  /** The values of the names in the address. */
  readonly params: Params;
  /** The query of the address, as its codec read it. */
  readonly query: Query;
  /** The query as it was sent. */
  readonly search: URLSearchParams;
  readonly form: Form;
  /** What `find` found for the address. */
  readonly found: Found;
}

/** One request as its handler sees it. */
export interface Visit<W extends Who, Params, Query, Form, Found>
  extends Gathered<W, Params, Query, Form, Found> {
  readonly actor: W["actor"];
  /** When the request is answered, in milliseconds since the epoch. */
  readonly now: number;
  /** Who acts and when, as the verbs ask for it. */
  readonly by: By;
  /** Whether a page asks for this named part of itself alone. */
  readonly wants: (part: string) => boolean;
  /** A whole page. */
  readonly page: (page: Safe, options?: PageOptions) => Response;
  /** A part of a page. */
  readonly part: (part: Safe, options?: PageOptions) => Response;
}

/** Makes a visit of what was gathered. */
function visitOf<W extends Who, Params, Query, Form, Found>(
  gathered: Gathered<W, Params, Query, Form, Found>,
  { clock }: Pick<PageGround, "clock">,
): Visit<W, Params, Query, Form, Found> {
  const { request, who, search } = gathered;
  const { actor } = who;
  const now = () => momentOf(request, clock);
  return {
    ...gathered,
    actor,
    get now() {
      return now();
    },
    get by() {
      return { actor: actor?.id ?? "", now: now() };
    },
    wants: (part) => search.get("part") === part && isHtmx(request),
    page: (page, options) => htmlPage(request, page, { readAt: now(), ...options }),
    part: (part, options) => htmlFragment(request, part, options),
  };
}

/** What a page reads of its request, each once and only when it is asked for. */
export function hereOf(
  request: Request,
  deps: Pick<PageGround, "clock" | "shellFor">,
  actor: Actor | null,
): Here {
  let shell: Shell | undefined;
  return {
    get now() {
      return momentOf(request, deps.clock);
    },
    get shell() {
      shell ??= deps.shellFor(request, actor);
      return shell;
    },
  };
}

/** Who may ask, and what is asked of them before their form counts. */
interface Gate<W extends Who> {
  /** Who asks. Throws what turns others away, before anything of a form is read. */
  readonly enter: (request: Request, deps: PageGround) => W;
  /** What a form of theirs may be. */
  readonly form?: FormBounds | undefined;
  /** Judges a form that was read by who sent it. Throws what is asked of them first. */
  readonly confirm?: (request: Request, deps: PageGround, who: W, form: URLSearchParams) => Promise<void>;
}

type Params<Pattern extends string> = { readonly [name in NamesIn<Pattern>]: string };

/** What a route may say beside its address. Without a reader the query, or the form, is handed on as it was sent. */
interface Spec<Pattern extends string, Query, Form, Found> {
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
interface Route {
  readonly method: Method;
  readonly pattern: string;
  readonly answer: (
    request: Request,
    params: Readonly<Record<string, string>>,
    deps: PageGround,
  ) => Promise<Response>;
}

/** Makes a route of one method. */
type RouteMaker<W extends Who> = <
  const Pattern extends string,
  Query = URLSearchParams,
  Form = URLSearchParams,
  Found = undefined,
>(
  place: Pattern | Place<Pattern>,
  spec: Spec<Pattern, Query, Form, Found>,
  handle: (visit: Visit<W, Params<Pattern>, Query, Form, Found>) => Answer,
) => Route;

/** Routes for those whom a gate lets in. */
export function routesBehind<W extends Who>(gate: Gate<W>) {
  const maker =
    (method: Method): RouteMaker<W> =>
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
        return within(hereOf(request, deps, who.actor), async () => {
          const answer = await handle(visit as Parameters<typeof handle>[0]);
          return answer instanceof Response ? answer : visit.page(answer);
        });
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
  enter: (request, { sessions }): SignedInActor => ({ actor: sessions.page(request) }),
});

/** Routes with what they need, ready to be used by an application. The form is read here, never by the application. */
export function mounted(deps: PageGround, routes: readonly Route[]) {
  return <App extends AnyElysia>(app: App): App => {
    for (const { method, pattern, answer } of routes) {
      app.route(method, pattern, ({ request, params }) => answer(request, params, deps), { parse: "none" });
    }
    return app;
  };
}

// Forms: how much of one is read, and what was wrong with it.

/** Largest form of someone who is not signed in yet, in bytes: whoever fills these costs nothing but connections. */
const DOOR_BYTES = 8 * 1024;
/** Largest form of a signed-in operator, in bytes: the longest note, or 200 ticked flags, percent-encoded. */
const FORM_BYTES = 64 * 1024;

/**
 * Reads an urlencoded form of at most `maxBytes` bytes; where a route takes files, also one in parts, a file being its text. Throws a
 * `Problem`.
 */
export async function readForm(
  request: Request,
  { maxBytes = FORM_BYTES, takesFiles = false }: FormBounds = {},
): Promise<URLSearchParams> {
  const said = request.headers.get("content-type");
  const type = said?.split(";")[0]?.trim().toLowerCase();
  if (takesFiles && type === "multipart/form-data")
    return readParts(said ?? "", await readBody(request, maxBytes));
  if (type !== "application/x-www-form-urlencoded") {
    if (type === undefined && request.body === null) return new URLSearchParams();
    throw new Problem("unsupported-media-type", "Send the form as application/x-www-form-urlencoded.");
  }
  return new URLSearchParams(Buffer.from(await readBody(request, maxBytes)).toString("utf8"));
}

/** What a form may be. */
export interface FormBounds {
  /** Largest form, in bytes; that of a signed-in operator when absent. */
  readonly maxBytes?: number | undefined;
  /** Whether it may hold files. */
  readonly takesFiles?: boolean | undefined;
}

async function readParts(type: string, body: Uint8Array): Promise<URLSearchParams> {
  const form = new URLSearchParams();
  try {
    const parts = await new Response(Uint8Array.from(body), { headers: { "content-type": type } }).formData();
    for (const [name, value] of parts)
      form.append(name, typeof value === "string" ? value : await value.text());
  } catch {
    throw new Problem("incomplete-body", "The form is not in parts as it says, or ends before the last one.");
  }
  return form;
}

/**
 * What was typed into each of the fields, without the space around it; a field that was not sent is as in `otherwise`. What stands
 * in a field of `asSent`, a choice or a text of several lines, keeps its space.
 */
export function typedInto<Fields extends Readonly<Record<string, string>>>(
  form: URLSearchParams,
  otherwise: Fields,
  asSent: readonly (keyof Fields)[] = [],
): { readonly [name in keyof Fields]: string } {
  const typed = Object.entries(otherwise).map(([name, value]) => {
    const sent = form.get(name) ?? value;
    return [name, asSent.includes(name) ? sent : sent.trim()];
  });
  return Object.fromEntries(typed);
}

/** A sentence for each field that a contract refuses, the first of several, by the field that a pointer ends on. */
export function refusedFields(errors: readonly BrokenRule[]): { [name: string]: string } {
  const refused: { [name: string]: string } = {};
  for (const { pointer, message } of errors) refused[pointer.split("/").at(-1) ?? ""] ??= `It ${message}.`;
  return refused;
}

// The gates beside that of a signed-in operator. The one that asks for the password again is `confirmed_form.tsx`.

/** The pages before signing in: nobody is asked who they are, but a form must come from our own pages. */
export const door = routesBehind({
  form: { maxBytes: DOOR_BYTES },
  enter: (request, { sessions }): { readonly actor: null } => {
    sessions.assertOwnOrigin(request);
    return { actor: null };
  },
});

/** Whoever is signed in, with their session where there is one. */
export const own = routesBehind({
  enter: (request, { sessions }): SignedIn => sessions.signedIn(request),
});
