import { Elysia } from "elysia";
import { hasAsset } from "../assets/mod.ts";
import type { Db } from "../db/mod.ts";
import { READ_REFUSALS } from "../platform/access.ts";
import type { Clock } from "../platform/clock.ts";
import type { Endpoint } from "../platform/endpoint.ts";
import { matches, tagOf } from "../platform/etag.ts";
import { anyText } from "../platform/filters.ts";
import { assetId, ref } from "../platform/json_schema.ts";
import { Problem } from "../platform/problem.ts";
import { QUERY_REFUSALS, Query } from "../platform/query.ts";
import type { HealthView } from "./contract.ts";
import { HEALTH_EXAMPLE, HEALTH_SHAPES, payloadOf } from "./payload.ts";
import type { HealthReader } from "./reader.ts";

/** What reading health over the API needs. */
export interface HealthReadDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly health: Pick<HealthReader, "read">;
  readonly authorizeHealth: (request: Request) => unknown;
}

export const READ_HEALTH = {
  id: "readIntegrationHealth",
  tag: "Reading",
  method: "GET",
  path: "/api/integrations/health",
  listeners: ["tower"],
  summary: "Read the health of every integration",
  description:
    "How each capability of each site stands, from stored evidence alone: reading asks no provider anything. It has an ETag, and `If-None-Match` is answered with 304 while nothing is new. Where what is set up cannot be read, the answer is 200 all the same and `coverage` is `unknown`.",
  open: "health-reader",
  query: {
    asset: anyText(
      "One site: what concerns it, and nothing else. A site that is not in the portfolio is not found; a retired one, and the service's own, have nothing to be read.",
      assetId,
    ),
  },
  answers: {
    200: { description: "How everything stands.", shape: ref("Health"), example: HEALTH_EXAMPLE },
    304: { description: "It still stands as the tag of `If-None-Match` says." },
  },
  shapes: HEALTH_SHAPES,
  refuses: [...READ_REFUSALS, "not-found", ...QUERY_REFUSALS],
} as const satisfies Endpoint;

/** A payload as it is sent. */
interface Body {
  readonly text: string;
  readonly tag: string;
}

/** `GET /api/integrations/health`. */
export function healthReads({ db, clock, health, authorizeHealth }: HealthReadDeps) {
  // A reader gives the same view while nothing is new: it is written once.
  const bodies = new WeakMap<HealthView, Body>();
  const bodyOf = (view: HealthView): Body => {
    const known = bodies.get(view);
    if (known !== undefined) return known;
    const text = JSON.stringify(payloadOf(view));
    const body = { text, tag: tagOf(text) };
    bodies.set(view, body);
    return body;
  };
  return new Elysia({ name: "health-reads" }).get(READ_HEALTH.path, ({ request }) => {
    authorizeHealth(request);
    const asset = new Query(request, READ_HEALTH.query).value("asset");
    const view = health.read(clock.now(), asset);
    if (asset !== undefined && view.coverage.state === "empty" && !hasAsset(db, asset)) {
      throw new Problem("not-found", "No such site.");
    }
    const { text, tag } = bodyOf(view);
    const headers = { etag: tag, "cache-control": "private, no-cache" };
    if (matches(request.headers.get("if-none-match"), tag))
      return new Response(null, { status: 304, headers });
    return new Response(text, { headers: { ...headers, "content-type": "application/json;charset=utf-8" } });
  });
}
