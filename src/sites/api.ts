/**
 * Sites and annotations through the API: posting an annotation, with the health of each token that posts, and both lists. A person at a page
 * sees the answer, so nothing is recorded of what operators post.
 */

import { Elysia } from "elysia";
import { ACT_REFUSALS, type Actor, listEndpoint, type ReadDeps } from "../access/access.ts";
import type { ApiTokenBook } from "../access/api_tokens.ts";
import {
  assetId,
  type Endpoint,
  instant,
  type Json,
  list,
  object,
  orNull,
  pointers,
  ref,
  text,
} from "../base/api_description.ts";
import { logOf } from "../base/log.ts";
import { anyText, DAYS, instantsOf, ListQuery, ofSite, oneOf, pageAnswer, textThat } from "../base/query.ts";
import { bearerToken, RECEIVE_REFUSALS, receive, TOKEN_REFUSALS } from "../base/receive.ts";
import { formatInstant, momentText } from "../base/time.ts";
import { type Observation, type Scope, senderScope } from "../health/health.ts";
import { recordBeside, recordResult, resultOf } from "../health/record.ts";
import { refusalCategory, refusalOf } from "../health/refusals.ts";
import type { Core } from "../store/core.ts";
import type { Db, Tx } from "../store/store.ts";
import {
  ANNOTATION_KINDS,
  annotationSchema,
  EVERY_SITE,
  isTarget,
  listAnnotations,
  MAX_ANNOTATION_BYTES,
  postAnnotation,
  type StoredAnnotation,
  TARGET,
} from "./annotations.ts";
import { assertWithinRate, type ReportSenderDeps } from "./report_sender.ts";
import { hasAsset, LIFECYCLES, listAssets, nearSites, STORAGE_KINDS } from "./sites.ts";

/** A post under way, by a sender who is known. */
type KnownPost = NonNullable<ReturnType<SenderHealth["begun"]>>;

const TOKEN = "token:";

/** Records the health of senders: of a stored post in its own transaction, of refused ones in the background, the latest of each sender. */
export class SenderHealth {
  readonly #deps: Core;
  #refused = new Map<string, { readonly scope: Scope; readonly observation: Observation }>();

  constructor(deps: Core) {
    this.#deps = deps;
  }

  /** A post that begins; undefined where no token posts. */
  begun({ id }: Pick<Actor, "id">) {
    if (!id.startsWith(TOKEN)) return undefined;
    const { clock, config } = this.#deps;
    return { scope: senderScope(config.workspace, id.slice(TOKEN.length)), startedAt: clock.now() };
  }

  /** Records that it is stored, or was before. Says whether that could be recorded. */
  stored(tx: Tx, { scope, startedAt }: KnownPost, now: number): boolean {
    const attempt = { attempt: attemptOf(startedAt), startedAt, observedAt: now };
    return recordResult(tx, scope, attempt, { ok: true, coveredDate: null });
  }

  /** Records what it was refused for; nothing where the error is no refusal. */
  refused({ scope, startedAt }: KnownPost, error: unknown): void {
    const code = refusalOf(error)?.code;
    if (code === undefined) return;
    const result = resultOf({ category: refusalCategory(code), code: null });
    const observedAt = this.#deps.clock.now();
    const observation = { attempt: attemptOf(startedAt), startedAt, observedAt, result };
    const isNext = this.#refused.size === 0;
    this.#refused.set(scope.target, { scope, observation });
    if (isNext) this.#writeAside();
  }

  #writeAside(): void {
    const { writer } = this.#deps;
    const write = writer.write(
      (tx) => {
        for (const { scope, observation } of this.#taken()) recordBeside(tx, scope, observation);
      },
      { lowPriority: true },
    );
    writer.background(write, (cause) => {
      this.#taken();
      logOf("annotations").warn("refused posts were not noted", { reason: String(cause) });
    });
  }

  #taken() {
    const refused = [...this.#refused.values()];
    this.#refused = new Map();
    return refused;
  }
}

const attemptOf = (startedAt: number): string => `post:${startedAt}`;

/** An annotation as the API answers it: as it was sent, with what the service adds. */
function answerOf({ instant: _, atMs: __, receivedAt, struck, ...row }: StoredAnnotation) {
  const { postedBy, ...sent } = row;
  return {
    ...sent,
    receivedAt: formatInstant(receivedAt),
    postedBy,
    ...(struck === undefined ? {} : { struck: { ...struck, at: formatInstant(struck.at) } }),
  };
}

/** What posting is refused for where no browser can sign in. */
const ANNOTATION_TOKEN_REFUSALS = [...TOKEN_REFUSALS, "insufficient-scope"] as const;

/** What is worth knowing about an annotation that was stored all the same. */

/** What the warnings are in the API's description. */
const WARNINGS: Json = {
  ...list(
    object(
      {
        code: { enum: ["unknown-site", "struck"] },
        message: text,
        nearest: { ...list(text), description: "Of unknown-site: known sites whose identifiers lie near." },
      },
      ["code", "message"],
    ),
  ),
  description: "What is worth knowing about the row, if anything.",
};

/** A site that nobody added is perhaps a typo, and a retracted entry does not count again because it is posted again. */
function warningsOf(db: Db, { asset, struck }: StoredAnnotation, now: number) {
  const nearest = asset === EVERY_SITE || hasAsset(db, asset) ? undefined : nearSites(db, asset);
  const meant = nearest?.length ? ` Near it: ${nearest.join(", ")}.` : "";
  const unknown = `${asset} is not in the portfolio: the entry is kept, and joins the site when it is added.${meant}`;
  return [
    ...(nearest === undefined ? [] : [{ code: "unknown-site", message: unknown, nearest }]),
    ...(struck === undefined
      ? []
      : [
          {
            code: "struck",
            message: `This entry was struck by ${struck.by} on ${momentText(struck.at, now)}, and stays so.`,
          },
        ]),
  ];
}

interface AnnotationIngestDeps extends Core {
  readonly apiTokens: Pick<ApiTokenBook, "find">;
  readonly sendRates: ReportSenderDeps["sendRates"];
  /** Who posts: tokens alone on the ingest, a signed-in operator too on the Tower. Throws a `Problem`. */
  readonly authorize: (request: Request) => Actor;
}

const STRUCK: Json = {
  ...object({ at: instant, by: text, reason: orNull(text) }),
  description: "Of an entry that was struck as a mistake: when, by whom and why. Absent where it stands.",
};

/** A stored annotation. */
const ANNOTATION_ROW: Json = {
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
const STORED_EXAMPLE = {
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
  return new Elysia().post(
    POST_ANNOTATION.path,
    async ({ request }) => {
      const actor = deps.authorize(request);
      const post = health.begun(actor);
      const monitored = (tx: Tx, now: number) => post === undefined || health.stored(tx, post, now);
      const { stored, created, isMonitored, ignored } = await posted(request, actor, monitored).catch(
        (error) => {
          if (post !== undefined) health.refused(post, error);
          throw error;
        },
      );
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

  async function posted(request: Request, actor: Actor, monitored: (tx: Tx, now: number) => boolean) {
    const token = deps.apiTokens.find(bearerToken(request) ?? "");
    if (token !== undefined) assertWithinRate(token, deps);
    const { value, ignored } = await receive(request, { schema, maxBytes: MAX_ANNOTATION_BYTES });
    return { ignored, ...(await postAnnotation(deps, value, actor.name, monitored)) };
  }
}

export const LIST_ANNOTATIONS = listEndpoint({
  id: "listAnnotations",
  tag: "Annotations",
  path: "/api/annotations",
  summary: "List annotations",
  description: "Deploys and other changes, the newest `at` first.",
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
  row: ANNOTATION_ROW,
  example: STORED_EXAMPLE,
});

/** `GET /api/annotations`: newest first by `at`. A site's list has the annotations of every site in it; `asset=*` has them alone. */
export function annotationReads({ db, authorizeRead }: ReadDeps) {
  return new Elysia().get(LIST_ANNOTATIONS.path, ({ request }) => {
    authorizeRead(request);
    const query = new ListQuery(request, LIST_ANNOTATIONS.filters);
    const after = query.cursor(["number", "string", "string"] as const);
    const rows = listAnnotations(
      db,
      { ...query.values(), ...instantsOf(query) },
      query.limit + 1,
      after === undefined ? undefined : { atMs: after[0], instant: after[1], id: after[2] },
    );
    return pageAnswer(rows, {
      query,
      toText: (row) => JSON.stringify(answerOf(row)),
      cursorOf: (row) => [row.atMs, row.instant, row.id],
    });
  });
}

// The portfolio through the API: `GET /api/assets`.

const ASSET = object({
  id: assetId,
  asset: { ...assetId, description: "The same as `id`." },
  url: orNull({ type: "string", format: "uri", maxLength: 2_048 }),
  lifecycle: { enum: LIFECYCLES },
  group: orNull(text),
  families: list(object({ family: text, storage: { enum: STORAGE_KINDS } })),
  added_at: instant,
  added_by: text,
});

const SITE_EXAMPLE = {
  id: "shop.example",
  asset: "shop.example",
  url: "https://shop.example",
  lifecycle: "live",
  group: "Northwind",
  families: [{ family: "signups", storage: "d1" }],
  added_at: "2026-03-01T09:12:44.180Z",
  added_by: "operator:ada",
};

export const LIST_ASSETS = listEndpoint({
  id: "listSites",
  path: "/api/assets",
  summary: "List the sites of the portfolio",
  description:
    "Every site with its lifecycle, the group that it is in and the metric families that it declares, the one added last first.",
  filters: {
    asset: ofSite("One site."),
    lifecycle: oneOf(LIFECYCLES, "One lifecycle."),
    group: anyText("The sites of one group."),
  },
  row: ref("Asset"),
  example: SITE_EXAMPLE,
  shapes: { Asset: ASSET },
});

/** `GET /api/assets`: the portfolio, newest first. */
export function assetReads({ db, authorizeRead }: ReadDeps) {
  return new Elysia().get(LIST_ASSETS.path, ({ request }) => {
    authorizeRead(request);
    const query = new ListQuery(request, LIST_ASSETS.filters);
    const after = query.cursor(["number", "string"] as const);
    const rows = listAssets(
      db,
      { lifecycle: query.value("lifecycle"), id: query.value("asset"), group: query.value("group") },
      query.limit + 1,
      after === undefined ? undefined : { addedAt: after[0], id: after[1] },
    );
    return pageAnswer(rows, {
      query,
      toText: (row) =>
        JSON.stringify({
          id: row.id,
          asset: row.id,
          url: row.url,
          lifecycle: row.lifecycle,
          group: row.group,
          families: row.families,
          added_at: formatInstant(row.addedAt),
          added_by: row.addedBy,
        }),
      cursorOf: (row) => [row.addedAt, row.id],
    });
  });
}
