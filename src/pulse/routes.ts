import { Elysia } from "elysia";
import {
  assertOwnAsset,
  assertStillSite,
  fromKnownSite,
  type KnownToken,
  type ReportSenderDeps,
  SENDER_REFUSALS,
} from "../assets/mod.ts";
import type { Writer } from "../db/mod.ts";
import { formatInstant } from "../lib/instant.ts";
import type { Endpoint } from "../platform/endpoint.ts";
import type { Ids } from "../platform/ids.ts";
import { assetId, date, instant, list, object, pointers, revision, text } from "../platform/json_schema.ts";
import { assertNotAhead } from "../platform/not_ahead.ts";
import { RECEIVE_REFUSALS, receive } from "../platform/receive.ts";
import { acceptPulse } from "./accept.ts";
import { MAX_PULSE_BYTES, PulseSchema } from "./contract.ts";
import { milestonesAsInfo } from "./milestone_severity.ts";
import { MAX_NAMES } from "./names_store.ts";

/** What the ingest of nightly reports needs. */
export interface PulseIngestDeps extends ReportSenderDeps {
  readonly writer: Writer;
  readonly ids: Ids;
  /** Told that a report was accepted, so that the flow rules follow soon. */
  readonly onAccepted: () => void;
}

const EXAMPLE = {
  asset: "shop.example",
  generatedAt: "2026-11-21T02:17:00Z",
  capabilities: ["signups", "errors"],
  metrics: {
    signups: { last24h: 3, avg7d: 2.4, total: 120 },
    "errors.5xx": { last24h: 0 },
  },
  negativeByPage: [{ page: "/checkout", count: 2 }],
  flags: [{ severity: "warn", kind: "anomaly", metric: "signups", msg: "No sign-up since noon." }],
};

export const SEND_PULSE = {
  id: "sendNightlyReport",
  tag: "Reports",
  method: "POST",
  path: "/api/pulse",
  listeners: ["ingest"],
  summary: "Send a nightly report",
  description:
    "What a site counted in the 24 hours before `generatedAt`, which must not be more than 5 minutes ahead of the service's clock. Its UTC day is the report's day; another one of the same day takes its place. A body has at most 256 KiB, and a site at most 1,000 metric names in 400 days.",
  open: "site",
  takes: { name: "Pulse", schema: PulseSchema, example: EXAMPLE },
  answers: {
    201: {
      description: "Stored as the next revision of its UTC day; the flow rules follow within a second.",
      shape: object({
        asset: assetId,
        date,
        revision,
        receivedAt: instant,
        flags: {
          ...list(object({ id: text })),
          description: "The open flags that the report's own `flags` became or are.",
        },
        ignored: pointers,
      }),
      example: {
        asset: "shop.example",
        date: "2026-11-21",
        revision: 1,
        receivedAt: "2026-11-21T02:17:03.402Z",
        flags: [{ id: "b1e8a7c2-51d4-4f0e-8a3b-7c6d5e4f3a21" }],
        ignored: [],
      },
    },
  },
  refuses: [...SENDER_REFUSALS, ...RECEIVE_REFUSALS],
} as const satisfies Endpoint;

/** `POST /api/pulse`. */
export function pulseIngest(deps: PulseIngestDeps) {
  return new Elysia({ name: "pulse-ingest" }).post(
    SEND_PULSE.path,
    ({ request }) =>
      fromKnownSite(request, deps, MAX_PULSE_BYTES, (token, receivedAt) =>
        receivePulse(request, deps, token, receivedAt),
      ),
    { parse: "none" },
  );
}

async function receivePulse(
  request: Request,
  deps: PulseIngestDeps,
  token: KnownToken,
  receivedAt: number,
): Promise<Response> {
  const received = await receive(request, { schema: PulseSchema, maxBytes: MAX_PULSE_BYTES });
  const { report: value, ignored: severities } = milestonesAsInfo(received.value);
  const ignored = [...received.ignored, ...severities];
  assertNotAhead(value.generatedAt, receivedAt);
  assertOwnAsset(token, value.asset);
  const body = ignored.length === 0 ? received.text : JSON.stringify(value);
  const accepted = await deps.writer.write(
    (tx) => {
      assertStillSite(tx, value.asset);
      return acceptPulse(tx, {
        report: value,
        body,
        ignored,
        receivedAt,
        newId: deps.ids.uuid,
        mostNames: MAX_NAMES,
      });
    },
    { isRepeatable: true },
  );
  deps.onAccepted();
  return Response.json(
    {
      asset: value.asset,
      date: accepted.date,
      revision: accepted.revision,
      receivedAt: formatInstant(receivedAt),
      flags: accepted.flags.map((id) => ({ id })),
      ignored,
    },
    { status: 201 },
  );
}
