import { Elysia } from "elysia";
import {
  assertOwnAsset,
  fromKnownSite,
  type KnownToken,
  type ReportSenderDeps,
  SENDER_REFUSALS,
} from "../assets/mod.ts";
import type { Writer } from "../db/mod.ts";
import { formatInstant } from "../lib/instant.ts";
import type { Endpoint } from "../platform/endpoint.ts";
import type { Ids } from "../platform/ids.ts";
import { count, date, instant, list, object, pointers, text } from "../platform/json_schema.ts";
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

export const SEND_PULSE = {
  method: "POST",
  path: "/api/pulse",
  listeners: ["ingest"],
  summary: "Send a nightly report (ingest listener, site token, at most 256 KiB)",
  open: "token",
  takes: { name: "Pulse", schema: PulseSchema },
  answers: {
    201: {
      description: "Stored as the next revision of its UTC day; the flow rules follow within a second.",
      shape: object({
        asset: text,
        date,
        revision: count,
        receivedAt: instant,
        flags: list(object({ id: text })),
        ignored: pointers,
      }),
    },
  },
  refuses: [...SENDER_REFUSALS, ...RECEIVE_REFUSALS],
} as const satisfies Endpoint;

/** `POST /api/pulse`. */
export function pulseIngest(deps: PulseIngestDeps) {
  return new Elysia({ name: "pulse-ingest" }).post(
    SEND_PULSE.path,
    ({ request }) => fromKnownSite(request, deps, (token) => receivePulse(request, deps, token)),
    { parse: "none" },
  );
}

async function receivePulse(request: Request, deps: PulseIngestDeps, token: KnownToken): Promise<Response> {
  const received = await receive(request, { schema: PulseSchema, maxBytes: MAX_PULSE_BYTES });
  const { report: value, ignored: severities } = milestonesAsInfo(received.value);
  const ignored = [...received.ignored, ...severities];
  const receivedAt = deps.clock.now();
  assertNotAhead(value.generatedAt, receivedAt);
  assertOwnAsset(token, value.asset);
  const body = ignored.length === 0 ? received.text : JSON.stringify(value);
  const accepted = await deps.writer.write(
    (tx) => acceptPulse(tx, { report: value, body, receivedAt, newId: deps.ids.uuid, mostNames: MAX_NAMES }),
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
