/**
 * A route of the API as its description says it: stands beside the route, with what its filters can refuse. The document is made of
 * these, so that what a route takes, answers and refuses is said where it is done.
 */
import type { GenericSchema } from "valibot";
import type { Filters } from "./filters.ts";
import type { Json } from "./json_schema.ts";
import type { ProblemCode } from "./problem.ts";

/** One answer to a request that is not refused. */
export interface Answer {
  readonly description: string;
  /** Its shape; JSON unless `type` says otherwise. */
  readonly shape: Json;
  readonly type?: string;
}

/** One route of the API. */
export interface Endpoint {
  readonly method: "GET" | "POST";
  /** As it is mounted: `:name` for a segment of any text. */
  readonly path: string;
  readonly listeners: readonly ("ingest" | "tower")[];
  readonly summary: string;
  /** Who is let in: anyone; a token; a token or a signed-in operator; or a program of this machine, and a token from elsewhere. */
  readonly open: "anyone" | "token" | "reader" | "own-machine";
  /** What a list may be narrowed to; it is paged, too. */
  readonly filters?: Filters;
  /** The contract of its body, and what that is called. */
  readonly takes?: { readonly name: string; readonly schema: GenericSchema };
  readonly answers: Readonly<Record<number, Answer>>;
  /** Shapes that its answers refer to by name. */
  readonly shapes?: Readonly<Record<string, Json>>;
  /** What it refuses, beside what the edge and the router of every listener do. */
  readonly refuses: readonly ProblemCode[];
}
