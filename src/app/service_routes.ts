/** Routes about the service itself: is it alive, is it ready, its figures, its description. */

import { Elysia } from "elysia";
import { type Access, READ_REFUSALS } from "../access/access.ts";
import { assetId, count, type Endpoint, type Json, object, orNull, text } from "../base/api_description.ts";
import type { Config } from "../base/config.ts";
import { isLoopback } from "../base/hosts.ts";
import { contextOf } from "../base/http_handler.ts";
import { QUERY_REFUSALS, Query, textThat } from "../base/query.ts";
import { countMonitoringFailures } from "../health/monitoring.ts";
import { findBacklog, secondsWaited } from "../reports/pulse.ts";
import { EVERY_SITE, isTarget } from "../sites/annotations.ts";

import type { Deps } from "./app.ts";

/** Writes that may wait before the service counts as not ready. */
const READY_QUEUE = 3_000;

/** How long storage may keep the rules from judging before the service counts as not ready, in milliseconds. */
const READY_REST_MS = 60_000;

/** What telling about the service needs. */
type MetaDeps = Pick<Deps, "clock" | "store" | "writer" | "follower" | "machine" | "config" | "metrics">;

export const HEALTHZ = {
  id: "readHealth",
  tag: "Service",
  method: "GET",
  path: "/healthz",
  listeners: ["tower"],
  summary: "Ask whether the service is alive",
  description: "Answers as long as the process does, also while a start still looks through its data.",
  open: "anyone",
  answers: {
    200: {
      description: "The process answers.",
      shape: object({ status: { const: "ok" } }),
      example: { status: "ok" },
    },
  },
  refuses: [],
} as const satisfies Endpoint;

export const READYZ = {
  id: "readReadiness",
  tag: "Service",
  method: "GET",
  path: "/readyz",
  listeners: ["tower"],
  summary: "Ask whether the service is ready for requests",
  description:
    "What cannot be judged does not make it less ready: one site's report must not take it from the others.",
  open: "anyone",
  answers: {
    200: {
      description: "Ready. What is accepted and not judged yet, and what could not be judged, is counted.",
      shape: object({
        status: { const: "ready" },
        reports_waiting: count,
        oldest_waiting_seconds: orNull(count),
        monitoring_failures: count,
      }),
      example: { status: "ready", reports_waiting: 0, oldest_waiting_seconds: null, monitoring_failures: 0 },
    },
    503: {
      description: "Not now, such as while writes are refused; with the reason and Retry-After.",
      shape: object({ status: { const: "not ready" }, reason: text }),
      example: { status: "not ready", reason: "writes are refused: the disk is full" },
      retryAfter: true,
    },
  },
  refuses: [],
} as const satisfies Endpoint;

function readiness(deps: MetaDeps): Partial<ReturnType<typeof unjudged>> & { readonly fault?: string } {
  if (deps.writer.queued > READY_QUEUE) return { fault: "too many writes are waiting" };
  const { restingSince } = deps.follower;
  if (restingSince !== undefined && deps.clock.now() - restingSince > READY_REST_MS) {
    return { fault: "nightly reports cannot be judged, since storage fails" };
  }
  try {
    const fault = deps.machine.unready();
    return { ...unjudged(deps), ...(fault === undefined ? {} : { fault }) };
  } catch {
    return { fault: "the database does not answer" };
  }
}

/**
 * What is accepted and not judged. It does not make the service less ready: a site that sends what no rule can judge must not take
 * it out of service for the others.
 */
function unjudged({ store, clock }: MetaDeps) {
  const backlog = findBacklog(store.db);
  const seconds = secondsWaited(backlog, clock.now());
  const lasting = countMonitoringFailures(store.db);
  return {
    reports_waiting: backlog.reports,
    oldest_waiting_seconds: seconds === undefined ? null : Math.floor(seconds),
    monitoring_failures: [...lasting.values()].reduce((sum, failures) => sum + failures, 0),
  };
}

export const METRICS = {
  id: "readMetrics",
  tag: "Service",
  method: "GET",
  path: "/metrics",
  listeners: ["tower"],
  summary: "Read the service's figures, for Prometheus",
  description:
    "Open to this machine; from beyond loopback, and wherever a proxy is set up or has left its mark, scope read is needed.",
  open: "own-machine",
  query: {
    asset: textThat("One site, or `*` for every one: its own figures beside those of all together.", {
      schema: { anyOf: [assetId, { const: EVERY_SITE }] },
      holds: isTarget,
      rule: `must be a site identifier or ${EVERY_SITE}`,
    }),
  },
  answers: {
    200: {
      description: "Text format 0.0.4.",
      shape: text,
      type: "text/plain",
      example:
        "# HELP tower_reports_waiting Accepted nightly reports that are not judged yet.\n# TYPE tower_reports_waiting gauge\ntower_reports_waiting 0\n",
    },
  },
  refuses: [...READ_REFUSALS, ...QUERY_REFUSALS],
} as const satisfies Endpoint;

export const OPENAPI = {
  id: "readDescription",
  tag: "Service",
  method: "GET",
  path: "/openapi",
  listeners: ["tower"],
  summary: "Read this description",
  description: "Its servers are the addresses of this service.",
  open: "anyone",
  answers: {
    200: { description: "OpenAPI 3.1.", shape: { type: "object" }, example: { openapi: "3.1.0" } },
  },
  refuses: [],
} as const satisfies Endpoint;

/** `/healthz`, `/readyz`, `/metrics`, `/openapi`, which is given what it hands out. */
export function metaRoutes(deps: MetaDeps, access: Access, description: () => Json) {
  return new Elysia()
    .get(HEALTHZ.path, () => Response.json({ status: "ok" }))
    .get(READYZ.path, () => {
      const { fault, ...rest } = readiness(deps);
      if (fault === undefined) return Response.json({ status: "ready", ...rest });
      const headers = { "retry-after": "2" };
      return Response.json({ status: "not ready", reason: fault }, { status: 503, headers });
    })
    .get(METRICS.path, async ({ request }) => {
      if (!isOwnMachine(request, deps.config)) access.api(request, "read");
      const asset = new Query(request, METRICS.query).value("asset");
      return new Response(await deps.metrics.text(asset), {
        headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8", "cache-control": "no-store" },
      });
    })
    .get(OPENAPI.path, () => Response.json(description()));
}

/**
 * Whether a request is surely from this machine. Behind a proxy every request comes from loopback, so where one is set up, or has
 * left its mark, the address says nothing.
 */
function isOwnMachine(request: Request, config: Config): boolean {
  const behindProxy =
    config.tower.publicUrl !== undefined ||
    config.trustedProxies.length > 0 ||
    config.trustedAuthHeader !== undefined;
  return !behindProxy && isLoopback(contextOf(request).addressOf()) && !isForwarded(request.headers);
}

const FORWARDING = /^(?:x-forwarded-.*|forwarded|x-real-ip|via)$/;

function isForwarded(headers: Headers): boolean {
  return [...headers.keys()].some((name) => FORWARDING.test(name));
}
