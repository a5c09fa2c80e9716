import type { Actor } from "../../platform/access.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Safe } from "../jsx/safe.ts";
import { htmlFragment, htmlPage, isHtmx, type PageOptions } from "../respond.ts";
import type { Shell } from "../shell.ts";
import { momentOf } from "./once.ts";

/** What reads a query or a form: an address codec, or a function under this name. */
export interface Reader<Value> {
  readonly read: (sent: URLSearchParams) => Value;
}

/** Who a gate let in; nobody at the doors before signing in. */
export interface Who {
  readonly actor: Actor | null;
}

/** What making a visit needs of the service. */
export interface VisitDeps<Actor_ extends Actor | null> {
  readonly clock: Clock;
  readonly shellFor: (request: Request, actor: Actor_) => Shell;
}

/** What is read of a request before its handler is called. */
export interface Gathered<W extends Who, Params, Query, Form, Found> {
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

/** One request as a page sees it. Time and shell are read once, and only when they are asked for. */
export interface Visit<W extends Who, Params, Query, Form, Found>
  extends Gathered<W, Params, Query, Form, Found> {
  readonly actor: W["actor"];
  /** When the request is answered, in milliseconds since the epoch. */
  readonly now: number;
  readonly shell: Shell;
  /** Who acts and when, as the verbs ask for it. */
  readonly by: { readonly actor: string; readonly now: number };
  /** Whether a page asks for this named part of itself alone. */
  readonly wants: (part: string) => boolean;
  /** A whole page. */
  readonly page: (page: Safe, options?: PageOptions) => Response;
  /** A part of a page. */
  readonly part: (part: Safe, options?: PageOptions) => Response;
}

/** Makes a visit of what was gathered. */
export function visitOf<W extends Who, Params, Query, Form, Found>(
  gathered: Gathered<W, Params, Query, Form, Found>,
  deps: VisitDeps<W["actor"]>,
): Visit<W, Params, Query, Form, Found> {
  const { request, who, search } = gathered;
  const { actor } = who;
  const now = () => momentOf(request, deps.clock);
  const shell = once(() => deps.shellFor(request, actor));
  return {
    ...gathered,
    actor,
    get now() {
      return now();
    },
    get shell() {
      return shell();
    },
    get by() {
      return { actor: actor?.id ?? "", now: now() };
    },
    wants: (part) => search.get("part") === part && isHtmx(request),
    page: (page, options) => htmlPage(request, page, { readAt: now(), ...options }),
    part: (part, options) => htmlFragment(request, part, options),
  };
}

function once<Value>(read: () => Value): () => Value {
  let held: { readonly value: Value } | undefined;
  return () => {
    held ??= { value: read() };
    return held.value;
  };
}
