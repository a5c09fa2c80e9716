/**
 * A route of the API as its description says it: stands beside the route, with what its filters can refuse. The document is made of
 * these, so that what a route takes, answers and refuses is said where it is done.
 */
import type { GenericSchema } from "valibot";
import type { Filters } from "./filters.ts";
import type { Json } from "./json_schema.ts";
import type { ProblemCode } from "./problem.ts";

/** What the routes are grouped by, and what each group is. */
export const TAGS = {
  Reports: "What a site sends about itself, with its own token, to the ingest.",
  Annotations: "Deploys and other changes on the timeline.",
  Ledger: "Revenue and costs in minor units, each currency by itself.",
  Reading: "What is stored, as JSON, for programs. Lists come newest first.",
  Service: "Whether the service is alive and ready, its figures, and this description.",
} as const;

/** One answer to a request that is not refused. */
export interface Answer {
  readonly description: string;
  /** Its shape; JSON unless `type` says otherwise. Absent where it has no body. */
  readonly shape?: Json;
  /** An answer as it may come. */
  readonly example?: unknown;
  readonly type?: string;
  /** It says when to ask again. */
  readonly retryAfter?: boolean;
}

/** One route of the API. */
export interface Endpoint {
  /** What generated clients call it. */
  readonly id: string;
  readonly tag: keyof typeof TAGS;
  readonly method: "GET" | "POST";
  /** As it is mounted: `:name` for a segment of any text. */
  readonly path: string;
  readonly listeners: readonly ("ingest" | "tower")[];
  readonly summary: string;
  readonly description: string;
  /**
   * Who is let in: anyone; a site's token; an operator's of scope annotations, or on the tower a signed-in operator; one of scope
   * read, or a signed-in operator; the same of scope ledger; the same of scope health:read; or a program of this machine, and a reader from elsewhere.
   */
  readonly open: "anyone" | "site" | "annotator" | "bookkeeper" | "reader" | "health-reader" | "own-machine";
  /** What the segments of its path that have a name are. */
  readonly segments?: Readonly<Record<string, { readonly schema: Json; readonly description: string }>>;
  /** What an answer that is no list may be narrowed to. */
  readonly query?: Filters;
  /** What a list may be narrowed to; it is paged, too. */
  readonly filters?: Filters;
  /** The contract of its body, what that is called, and a body that keeps it. */
  readonly takes?: { readonly name: string; readonly schema: GenericSchema; readonly example: unknown };
  readonly answers: Readonly<Record<number, Answer>>;
  /** Shapes that its answers refer to by name. */
  readonly shapes?: Readonly<Record<string, Json>>;
  /** What it refuses, beside what the edge and the router of every listener do. */
  readonly refuses: readonly ProblemCode[];
}
