/** Whether the service is alive, and ready: the routes that answer before any other is loaded. */
import { Elysia } from "elysia";
import type { Deps } from "./deps.ts";
import { countMonitoringFailures } from "./monitoring/mod.ts";
import type { Endpoint } from "./platform/endpoint.ts";
import { count, object, orNull, text } from "./platform/json_schema.ts";
import { findBacklog, secondsWaited } from "./pulse/mod.ts";

/** Writes that may wait before the service counts as not ready. */
const READY_QUEUE = 3_000;

/** How long storage may keep the rules from judging before the service counts as not ready, in milliseconds. */
const READY_REST_MS = 60_000;

/** What telling about health needs. */
export type HealthDeps = Pick<Deps, "clock" | "store" | "writer"> & {
  readonly follower: Pick<Deps["follower"], "restingSince">;
  readonly machine: Pick<Deps["machine"], "unready">;
};

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

/** `/healthz`, `/readyz`. */
export function healthRoutes(deps: HealthDeps) {
  return new Elysia({ name: "health" })
    .get(HEALTHZ.path, () => Response.json({ status: "ok" }))
    .get(READYZ.path, () => {
      const { fault, ...rest } = readiness(deps);
      return fault === undefined
        ? Response.json({ status: "ready", ...rest })
        : Response.json(
            { status: "not ready", reason: fault },
            { status: 503, headers: { "retry-after": "2" } },
          );
    });
}

function readiness(deps: HealthDeps): Partial<ReturnType<typeof unjudged>> & { readonly fault?: string } {
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
function unjudged({ store, clock }: HealthDeps) {
  const backlog = findBacklog(store.db);
  const seconds = secondsWaited(backlog, clock.now());
  const lasting = countMonitoringFailures(store.db);
  return {
    reports_waiting: backlog.reports,
    oldest_waiting_seconds: seconds === undefined ? null : Math.floor(seconds),
    monitoring_failures: [...lasting.values()].reduce((sum, failures) => sum + failures, 0),
  };
}
