import type { Actor } from "../../platform/access.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Safe } from "../jsx/safe.ts";
import { htmlFragment, htmlPage, isHtmx, type PageOptions } from "../respond.ts";
import type { Shell } from "../shell.ts";

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

/** What was read of a request before its handler is called. */
export interface Gathered<W extends Who, Params, Query, Form, Found> {
  readonly request: Request;
  readonly who: W;
  readonly params: Params;
  readonly query: Query;
  readonly search: URLSearchParams;
  readonly form: Form;
  readonly found: Found;
}

/** One request as a page sees it. Time and shell are read once, and only when they are asked for. */
export class Visit<W extends Who, Params, Query, Form, Found> {
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
  readonly #deps: VisitDeps<W["actor"]>;
  #now: number | undefined;
  #shell: Shell | undefined;

  constructor(gathered: Gathered<W, Params, Query, Form, Found>, deps: VisitDeps<W["actor"]>) {
    this.request = gathered.request;
    this.who = gathered.who;
    this.params = gathered.params;
    this.query = gathered.query;
    this.search = gathered.search;
    this.form = gathered.form;
    this.found = gathered.found;
    this.#deps = deps;
  }

  get actor(): W["actor"] {
    return this.who.actor;
  }

  /** When the request is answered, in milliseconds since the epoch. */
  get now(): number {
    this.#now ??= this.#deps.clock.now();
    return this.#now;
  }

  get shell(): Shell {
    this.#shell ??= this.#deps.shellFor(this.request, this.actor);
    return this.#shell;
  }

  /** Who acts and when, as the verbs ask for it. */
  get by(): { readonly actor: string; readonly now: number } {
    return { actor: this.actor?.id ?? "", now: this.now };
  }

  /** Whether htmx asked for this named part of the page alone. */
  readonly wants = (part: string): boolean => this.search.get("part") === part && isHtmx(this.request);

  /** A whole page. */
  readonly page = (page: Safe, options?: PageOptions): Response => htmlPage(this.request, page, options);

  /** A part of a page. */
  readonly part = (part: Safe, options?: PageOptions): Response => htmlFragment(this.request, part, options);
}
