import { Elysia } from "elysia";
import type { Actor } from "../platform/access.ts";
import { receive } from "../platform/receive.ts";
import { answerOf } from "./answer.ts";
import { annotationSchema, MAX_ANNOTATION_BYTES } from "./contract.ts";
import { type PostDeps, postAnnotation } from "./post.ts";

/** What receiving annotations needs. */
export interface AnnotationIngestDeps extends PostDeps {
  /** Who posts: tokens alone on the ingest, a signed-in operator too on the Tower. Throws a `Problem`. */
  readonly authorize: (request: Request) => Actor;
}

/** `POST /api/annotations`: 201 with the stored row, or 200 with the row that was there before. */
export function annotationIngest(deps: AnnotationIngestDeps) {
  const schema = annotationSchema(() => deps.clock.now());
  return new Elysia({ name: "annotation-ingest" }).post(
    "/api/annotations",
    async ({ request }) => {
      const actor = deps.authorize(request);
      const { value, ignored } = await receive(request, { schema, maxBytes: MAX_ANNOTATION_BYTES });
      const { stored, created } = await postAnnotation(deps, value, actor.name);
      return Response.json(
        { ...answerOf(stored), ...(ignored.length === 0 ? {} : { ignored }) },
        { status: created ? 201 : 200 },
      );
    },
    { parse: "none" },
  );
}
