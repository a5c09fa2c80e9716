import { Elysia } from "elysia";
import type { Store } from "../db/mod.ts";
import { ACT_REFUSALS, type Actor } from "../platform/access.ts";
import type { Endpoint } from "../platform/endpoint.ts";
import { instant, type Json, object, orNull, pointers, ref, text } from "../platform/json_schema.ts";
import { RECEIVE_REFUSALS, receive } from "../platform/receive.ts";
import { answerOf } from "./answer.ts";
import { ANNOTATION_TOKEN_REFUSALS } from "./authorize.ts";
import { annotationSchema, MAX_ANNOTATION_BYTES } from "./contract.ts";
import { type PostDeps, postAnnotation } from "./post.ts";
import { WARNINGS, warningsOf } from "./warnings.ts";

/** What receiving annotations needs. */
export interface AnnotationIngestDeps extends PostDeps {
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
      },
      [],
    ),
  ],
};

export const POST_ANNOTATION = {
  method: "POST",
  path: "/api/annotations",
  listeners: ["ingest", "tower"],
  summary:
    "Post an annotation (both listeners, operator token of scope annotations, or a session on the tower; at most 16 KiB)",
  open: "token",
  takes: { name: "Annotation", schema: annotationSchema(() => 0) },
  answers: {
    200: { description: "It was there: the row as first stored.", shape: POSTED },
    201: { description: "Stored.", shape: POSTED },
  },
  refuses: [...ANNOTATION_TOKEN_REFUSALS, ...ACT_REFUSALS, ...RECEIVE_REFUSALS],
} as const satisfies Endpoint;

/** `POST /api/annotations`: 201 with the stored row, or 200 with the row that was there before. */
export function annotationIngest(deps: AnnotationIngestDeps) {
  const schema = annotationSchema(() => deps.clock.now());
  return new Elysia({ name: "annotation-ingest" }).post(
    POST_ANNOTATION.path,
    async ({ request }) => {
      const actor = deps.authorize(request);
      const { value, ignored } = await receive(request, { schema, maxBytes: MAX_ANNOTATION_BYTES });
      const { stored, created } = await postAnnotation(deps, value, actor.name);
      const warnings = warningsOf(deps.store.db, stored);
      return Response.json(
        {
          ...answerOf(stored),
          ...(ignored.length === 0 ? {} : { ignored }),
          ...(warnings.length === 0 ? {} : { warnings }),
        },
        { status: created ? 201 : 200 },
      );
    },
    { parse: "none" },
  );
}
