import { Elysia } from "elysia";
import type { Db } from "../db/mod.ts";
import { ListQuery, malformed, pageAnswer } from "../platform/lists.ts";
import { answerOf } from "./answer.ts";
import { ANNOTATION_KINDS, isTarget } from "./contract.ts";
import { listAnnotations } from "./store.ts";

/** What reading annotations needs. */
export interface AnnotationReadDeps {
  readonly db: Db;
  readonly authorizeRead: (request: Request) => unknown;
}

/** `GET /api/annotations`: newest first by `at`. A site's list has the annotations of every site in it; `asset=*` has them alone. */
export function annotationReads({ db, authorizeRead }: AnnotationReadDeps) {
  return new Elysia({ name: "annotation-reads" }).get("/api/annotations", ({ request }) => {
    authorizeRead(request);
    const query = new ListQuery(request, ["asset", "kind", "ref", "from", "to"]);
    const asset = query.text("asset");
    if (asset !== undefined && !isTarget(asset)) throw malformed("asset", "must be a site identifier, or *");
    const after = query.cursor(["number", "string", "string"] as const);
    const rows = listAnnotations(
      db,
      {
        asset,
        kind: query.oneOf("kind", ANNOTATION_KINDS),
        ref: query.text("ref"),
        ...query.instants(),
      },
      query.limit + 1,
      after === undefined ? undefined : { atMs: after[0], instant: after[1], id: after[2] },
    );
    return pageAnswer(rows, {
      limit: query.limit,
      toText: (row) => JSON.stringify(answerOf(row)),
      cursorOf: (row) => [row.atMs, row.instant, row.id],
    });
  });
}
