/** Deliveries through the API: `GET /api/notices`. */

import { toJsonSchema } from "@valibot/to-json-schema";
import { Elysia } from "elysia";
import { listEndpoint, type ReadDeps } from "../access/access.ts";
import { assetId, count, instant, type Json, object, orNull, ref, text } from "../base/api_description.ts";
import type { Config } from "../base/config.ts";
import { anyText, DAYS, instantsOf, ListQuery, oneOf, pageAnswer } from "../base/query.ts";
import { formatInstant } from "../base/time.ts";
import { CHANNEL_KINDS, NOTICE_TYPES, PayloadSchema } from "./channel_settings.ts";
import { flagSaid } from "./notice_text.ts";
import { flagsOf } from "./notices.ts";
import { listNotices, OUTCOMES, type StoredNotice } from "./outbox.ts";

interface NoticeReadDeps extends ReadDeps {
  readonly config: Pick<Config, "tower">;
}

const NOTICE = object({
  id: { ...text, description: "The delivery id: the same at every attempt." },
  channel: text,
  channel_kind: { type: "string", enum: CHANNEL_KINDS },
  test: { type: "boolean", description: "A test send, which says nothing of real ones." },
  type: { type: "string", enum: NOTICE_TYPES },
  asset: { ...orNull(assetId), description: "Null where it is about several sites, or none." },
  flags: toJsonSchema(PayloadSchema.entries.flags) as Json,
  created_at: instant,
  attempts: count,
  last_attempt_at: orNull(instant),
  delivered_at: orNull(instant),
  receipt: { ...orNull(text), description: "The code that the other side took it with; null until it did." },
  outcome: { type: "string", enum: OUTCOMES, description: "`held` waits for the end of quiet hours." },
});

const EXAMPLE = {
  id: "019aa5f2-64c8-7e51-9d3e-0c8b5b7f6a10",
  channel: "019aa5f0-1c11-7c7f-8f6b-5b0f2d1c7b1e",
  channel_kind: "webhook",
  test: false,
  type: "integrations.failing",
  asset: null,
  flags: [],
  created_at: "2026-11-21T02:05:10.391Z",
  attempts: 1,
  last_attempt_at: "2026-11-21T02:05:10.402Z",
  delivered_at: "2026-11-21T02:05:10.511Z",
  receipt: "204",
  outcome: "delivered",
};

export const LIST_NOTICES = listEndpoint({
  id: "listNotices",
  path: "/api/notices",
  summary: "List notices",
  description: "Deliveries to channels, the newest first: one row for each message and channel.",
  filters: {
    channel: anyText("One channel, by its id."),
    outcome: oneOf(OUTCOMES, "One outcome."),
    ...DAYS,
  },
  row: ref("Notice"),
  example: EXAMPLE,
  shapes: { Notice: NOTICE },
});

/** `GET /api/notices`: newest first by when each was made. */
export function noticeReads(deps: NoticeReadDeps) {
  return new Elysia().get(LIST_NOTICES.path, ({ request }) => {
    deps.authorizeRead(request);
    const query = new ListQuery(request, LIST_NOTICES.filters);
    const after = query.cursor(["number", "string"] as const);
    const wanted = { ...query.values(), ...instantsOf(query) };
    return pageAnswer(listNotices(deps.db, wanted, query.limit + 1, after), {
      query,
      toText: (row) => JSON.stringify(answerOf(deps, row)),
      cursorOf: (row) => [row.created_at, row.id],
    });
  });
}

function answerOf({ db, config }: NoticeReadDeps, { content, day, due_at, code, ...row }: StoredNotice) {
  const at = (ms: number | null) => (ms === null ? null : formatInstant(ms));
  return {
    ...row,
    test: row.type === "test",
    flags: content?.flags ?? flagsOf(db, row.id).map((flag) => flagSaid(flag, config.tower.publicUrl)),
    created_at: at(row.created_at),
    last_attempt_at: at(row.last_attempt_at),
    delivered_at: at(row.delivered_at),
  };
}
