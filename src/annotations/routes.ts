import { Elysia } from "elysia";
import { assertWithinRate, type ReportSenderDeps } from "../assets/mod.ts";
import type { Store, Tx } from "../db/mod.ts";
import type { ApiTokenBook } from "../operators/mod.ts";
import { ACT_REFUSALS, type Actor } from "../platform/access.ts";
import type { Endpoint } from "../platform/endpoint.ts";
import { instant, type Json, object, orNull, pointers, ref, text } from "../platform/json_schema.ts";
import { bearerToken, RECEIVE_REFUSALS, receive } from "../platform/receive.ts";
import { answerOf } from "./answer.ts";
import { ANNOTATION_TOKEN_REFUSALS } from "./authorize.ts";
import { annotationSchema, MAX_ANNOTATION_BYTES } from "./contract.ts";
import { type PostDeps, postAnnotation } from "./post.ts";
import { SenderHealth, type SenderHealthDeps } from "./sender_health.ts";
import { WARNINGS, warningsOf } from "./warnings.ts";

/** What receiving annotations needs. */
export interface AnnotationIngestDeps extends PostDeps {
  readonly apiTokens: Pick<ApiTokenBook, "find">;
  readonly sendRates: ReportSenderDeps["sendRates"];
  readonly config: SenderHealthDeps["config"];
  /** Who posts: tokens alone on the ingest, a signed-in operator too on the Tower. Throws a `Problem`. */
  readonly authorize: (request: Request) => Actor;
  readonly store: Pick<Store, "db">;
}

const STRUCK: Json = {
  ...object({ at: instant, by: text, reason: orNull(text) }),
  description: "Of an entry that was struck as a mistake: when, by whom and why. Absent where it stands.",
};

/** A stored annotation. */
export const ANNOTATION_ROW: Json = {
  allOf: [
    ref("Annotation"),
    object({ id: text, receivedAt: instant, postedBy: text, struck: STRUCK }, [
      "id",
      "receivedAt",
      "postedBy",
    ]),
  ],
};

const POSTED: Json = {
  allOf: [
    ANNOTATION_ROW,
    object(
      {
        ignored: { ...pointers, description: "Fields that the contract does not know, if any." },
        warnings: WARNINGS,
        monitoring: {
          type: "string",
          enum: ["unavailable"],
          description:
            "Only where the row is stored, and the health of this sender could not be noted. There is nothing to send again.",
        },
      },
      [],
    ),
  ],
};

const EXAMPLE = {
  asset: "shop.example",
  at: "2026-11-21T10:00:00Z",
  kind: "deploy",
  ref: "v42",
  note: "new checkout",
};

/** A stored annotation, as it may be answered. */
export const STORED_EXAMPLE = {
  id: "5f3a8c0e-2f7b-4a61-9a34-0c8d2e1b7f65",
  ...EXAMPLE,
  receivedAt: "2026-11-21T10:00:04.218Z",
  postedBy: "ci",
};

export const POST_ANNOTATION = {
  id: "postAnnotation",
  tag: "Annotations",
  method: "POST",
  path: "/api/annotations",
  listeners: ["ingest", "tower"],
  summary: "Post an annotation",
  description:
    "Puts a deploy or another change on the timeline. A body has at most 16 KiB. The same site, moment, kind and ref are one annotation, however often it is posted. A session counts on the tower alone.",
  open: "annotator",
  takes: { name: "Annotation", schema: annotationSchema(() => Number.POSITIVE_INFINITY), example: EXAMPLE },
  answers: {
    200: { description: "It was there: the row as first stored.", shape: POSTED, example: STORED_EXAMPLE },
    201: { description: "Stored.", shape: POSTED, example: STORED_EXAMPLE },
  },
  refuses: [...ANNOTATION_TOKEN_REFUSALS, ...ACT_REFUSALS, "too-many-requests", ...RECEIVE_REFUSALS],
} as const satisfies Endpoint;

/** `POST /api/annotations`: 201 with the stored row, or 200 with the row that was there before. */
export function annotationIngest(deps: AnnotationIngestDeps) {
  const schema = annotationSchema(() => deps.clock.now());
  const health = new SenderHealth(deps);
  return new Elysia({ name: "annotation-ingest" }).post(
    POST_ANNOTATION.path,
    async ({ request }) => {
      const actor = deps.authorize(request);
      const post = health.begun(actor);
      const told = (tx: Tx, now: number) => post === undefined || health.stored(tx, post, now);
      const { stored, created, isMonitored, ignored } = await posted(request, actor, told).catch((error) => {
        if (post !== undefined) health.refused(post, error);
        throw error;
      });
      const warnings = warningsOf(deps.store.db, stored, deps.clock.now());
      return Response.json(
        {
          ...answerOf(stored),
          ...(ignored.length === 0 ? {} : { ignored }),
          ...(warnings.length === 0 ? {} : { warnings }),
          ...(isMonitored ? {} : { monitoring: "unavailable" }),
        },
        { status: created ? 201 : 200 },
      );
    },
    { parse: "none" },
  );

  async function posted(request: Request, actor: Actor, told: (tx: Tx, now: number) => boolean) {
    const token = deps.apiTokens.find(bearerToken(request) ?? "");
    if (token !== undefined) assertWithinRate(token, deps);
    const { value, ignored } = await receive(request, { schema, maxBytes: MAX_ANNOTATION_BYTES });
    return { ignored, ...(await postAnnotation(deps, value, actor.name, told)) };
  }
}
