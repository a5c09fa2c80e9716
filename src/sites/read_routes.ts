/** What reading annotations needs. */

import { Elysia } from "elysia";
import { anyText, DAYS, type Endpoint, oneOf, QUERY_REFUSALS, textThat } from "../base/filters.ts";
import { instantsOf, ListQuery, page, pageAnswer } from "../base/lists.ts";
import { READ_REFUSALS } from "../base/receive.ts";
import type { Db } from "../store/db_open.ts";
import { listAnnotations } from "./annotations.ts";
import { ANNOTATION_KINDS, isTarget, TARGET } from "./moment.ts";
import { ANNOTATION_ROW, answerOf, STORED_EXAMPLE } from "./sender_health.ts";

export interface AnnotationReadDeps {
  readonly db: Db;
  readonly authorizeRead: (request: Request) => unknown;
}

export const LIST_ANNOTATIONS = {
  id: "listAnnotations",
  tag: "Annotations",
  method: "GET",
  path: "/api/annotations",
  listeners: ["tower"],
  summary: "List annotations",
  description: "Deploys and other changes, the newest `at` first.",
  open: "reader",
  filters: {
    asset: textThat("A site, with the annotations of every site; `*` for those alone.", {
      schema: TARGET,
      holds: isTarget,
      rule: "must be a site identifier, or *",
    }),
    kind: oneOf(ANNOTATION_KINDS, "One kind."),
    ref: anyText("One ref."),
    ...DAYS,
  },
  answers: {
    200: {
      description: "One page, newest first.",
      shape: page(ANNOTATION_ROW),
      example: { items: [STORED_EXAMPLE], next: null },
    },
  },
  refuses: [...READ_REFUSALS, ...QUERY_REFUSALS],
} as const satisfies Endpoint;

/** `GET /api/annotations`: newest first by `at`. A site's list has the annotations of every site in it; `asset=*` has them alone. */
export function annotationReads({ db, authorizeRead }: AnnotationReadDeps) {
  return new Elysia({ name: "annotation-reads" }).get(LIST_ANNOTATIONS.path, ({ request }) => {
    authorizeRead(request);
    const query = new ListQuery(request, LIST_ANNOTATIONS.filters);
    const asset = query.value("asset");
    const after = query.cursor(["number", "string", "string"] as const);
    const rows = listAnnotations(
      db,
      {
        asset,
        kind: query.value("kind"),
        ref: query.value("ref"),
        ...instantsOf(query),
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
