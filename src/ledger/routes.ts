/** The ledger's routes of the API: posting revenue and costs, and reading them. */
import { Elysia } from "elysia";
import type { GenericSchema, InferOutput } from "valibot";
import { assertWithinRate, type ReportSenderDeps } from "../assets/mod.ts";
import type { ConstantsKeeper } from "../constants/mod.ts";
import type { Db, Store, Tx, Writer } from "../db/mod.ts";
import { isAssetId } from "../lib/asset_id.ts";
import type { ApiTokenBook } from "../operators/mod.ts";
import { ACT_REFUSALS, type Actor, READ_REFUSALS } from "../platform/access.ts";
import type { Clock } from "../platform/clock.ts";
import type { Endpoint } from "../platform/endpoint.ts";
import { anyText, DAYS, oneOf, textThat } from "../platform/filters.ts";
import {
  assetId,
  count,
  instant,
  type Json,
  object,
  orNull,
  pointers,
  text,
} from "../platform/json_schema.ts";
import { ListQuery, page, pageAnswer } from "../platform/lists.ts";
import { QUERY_REFUSALS } from "../platform/query.ts";
import { bearerToken, brokenContract, RECEIVE_REFUSALS, receive } from "../platform/receive.ts";
import { CURRENCIES } from "./amount.ts";
import { costSchema, ENTRY_KINDS, MAX_ENTRY_BYTES, REVENUE_STATUSES, revenueSchema } from "./contract.ts";
import {
  answerOf,
  type Recorded,
  type RecordedBy,
  type RefusedEntry,
  recordCost,
  recordRevenue,
} from "./record.ts";
import { listLedger } from "./store.ts";

const minor: Json = { type: "integer", minimum: -Number.MAX_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };
const nameOf = (values: readonly string[]): Json => ({ type: "string", enum: values });

const PROPERTIES = {
  id: text,
  asset: orNull(assetId),
  kind: nameOf(ENTRY_KINDS),
  source: text,
  period: text,
  status: orNull(nameOf(REVENUE_STATUSES)),
  change: orNull(text),
  minutes: orNull(count),
  rate: { ...orNull(count), description: "The price of an operator's hour at entry, in minor units." },
  amount: { ...minor, description: "Minor units of `currency`." },
  currency: nameOf(CURRENCIES),
  currency_basis: {
    ...nameOf(["stated", "legacy"]),
    description: "`legacy`: no currency was sent, and the upload was marked legacy.",
  },
  ref: orNull(text),
  corrects: { ...orNull(text), description: "The row that this one supersedes." },
  recorded_at: instant,
  recorded_by: text,
};

const ROW: Json = object(
  {
    ...PROPERTIES,
    low: { ...minor, description: "The lower end of an estimate that is a range." },
    high: { ...minor, description: "Its upper end." },
  },
  Object.keys(PROPERTIES),
);

const POSTED: Json = {
  allOf: [
    ROW,
    object({ ignored: { ...pointers, description: "Fields that the contract does not know, if any." } }, []),
  ],
};

const REVENUE_EXAMPLE = {
  asset: "shop.example",
  period: "2026-10",
  source: "adsense",
  status: "booked",
  amount: 125_050,
  currency: "EUR",
  ref: "2026-10-001",
};
const COST_EXAMPLE = {
  asset: "shop.example",
  kind: "inference",
  source: "anthropic",
  period: "2026-10-31",
  change: "v42",
  amount: 1_250,
  currency: "USD",
};
const STORED = {
  minutes: null,
  rate: null,
  currency_basis: "stated",
  corrects: null,
  recorded_at: "2026-11-21T10:00:04.218Z",
  recorded_by: "ci",
};
const STORED_REVENUE = { id: "1", kind: "revenue", change: null, ...REVENUE_EXAMPLE, ...STORED };
const STORED_COST = { id: "2", status: null, ref: null, ...COST_EXAMPLE, ...STORED };

const RULES =
  "The same identity and amount again is a replay; another amount is a correction, which supersedes the row before it and keeps its currency. A currency may be left out of a correction, and of an upload marked `legacy`, where it is USD. A body has at most 16 KiB.";

const posting = (takes: NonNullable<Endpoint["takes"]>, example: unknown) =>
  ({
    tag: "Ledger",
    method: "POST",
    listeners: ["tower"],
    open: "bookkeeper",
    takes,
    answers: {
      200: { description: "A replay: the row as first stored.", shape: POSTED, example },
      201: {
        description: "Stored; a correction names in `corrects` what it supersedes.",
        shape: POSTED,
        example,
      },
    },
    refuses: [...ACT_REFUSALS, "too-many-requests", ...RECEIVE_REFUSALS],
  }) as const satisfies Partial<Endpoint>;

export const POST_REVENUE = {
  id: "postRevenue",
  path: "/api/ledger/revenue",
  summary: "Record revenue",
  description: `Identity is site, source, period, status and ref. ${RULES}`,
  ...posting(
    { name: "Revenue", schema: revenueSchema(() => Number.POSITIVE_INFINITY), example: REVENUE_EXAMPLE },
    STORED_REVENUE,
  ),
} as const satisfies Endpoint;

export const POST_COST = {
  id: "postCost",
  path: "/api/ledger/costs",
  summary: "Record a cost",
  description: `Identity is site, kind, source, period, change and ref. No site means all of them. Minutes are priced by the operator rate at entry; the same minutes are a replay after the rate changed. ${RULES}`,
  ...posting(
    { name: "Cost", schema: costSchema(() => Number.POSITIVE_INFINITY), example: COST_EXAMPLE },
    STORED_COST,
  ),
} as const satisfies Endpoint;

export const LIST_LEDGER = {
  id: "listLedger",
  tag: "Ledger",
  method: "GET",
  path: "/api/ledger",
  listeners: ["tower"],
  summary: "List the ledger",
  description:
    "Revenue and costs, the newest period first, and in it what was recorded last. A month lies between `from` and `to` where any of its days does.",
  open: "reader",
  filters: {
    asset: textThat("A site; costs of all sites are in no site's list.", {
      schema: assetId,
      holds: isAssetId,
      rule: "must be a site identifier",
    }),
    kind: oneOf(ENTRY_KINDS, "One kind."),
    source: anyText("One source."),
    status: oneOf(REVENUE_STATUSES, "One status of revenue."),
    currency: oneOf(CURRENCIES, "One currency."),
    ...DAYS,
    revisions: oneOf(["all"], "`all` shows superseded rows, too."),
  },
  answers: {
    200: {
      description: "One page, newest first.",
      shape: page(ROW),
      example: { items: [STORED_COST, STORED_REVENUE], next: null },
    },
  },
  refuses: [...READ_REFUSALS, ...QUERY_REFUSALS],
} as const satisfies Endpoint;

/** What the ledger's routes need. */
export interface LedgerRouteDeps {
  readonly writer: Writer;
  readonly store: Pick<Store, "db">;
  readonly clock: Clock;
  readonly constants: Pick<ConstantsKeeper, "current" | "refresh">;
  readonly apiTokens: Pick<ApiTokenBook, "find">;
  readonly sendRates: ReportSenderDeps["sendRates"];
  /** An operator, or a token of scope ledger. Throws a `Problem`. */
  readonly authorize: (request: Request) => Actor;
  readonly authorizeRead: (request: Request) => unknown;
}

/** `POST /api/ledger/revenue`, `POST /api/ledger/costs` and `GET /api/ledger`. */
export function ledgerRoutes(deps: LedgerRouteDeps) {
  const now = () => deps.clock.now();
  const unparsed = { parse: "none" } as const;
  return new Elysia({ name: "ledger" })
    .post(POST_REVENUE.path, ({ request }) => posted(request, revenueSchema(now), recordRevenue), unparsed)
    .post(POST_COST.path, ({ request }) => posted(request, costSchema(now), recordCost), unparsed)
    .get(LIST_LEDGER.path, ({ request }) => {
      deps.authorizeRead(request);
      return listed(deps.store.db, request);
    });

  async function posted<S extends GenericSchema>(
    request: Request,
    schema: S,
    record: (tx: Tx, value: InferOutput<S>, by: RecordedBy) => Recorded | RefusedEntry,
  ): Promise<Response> {
    const actor = deps.authorize(request);
    const token = deps.apiTokens.find(bearerToken(request) ?? "");
    if (token !== undefined) assertWithinRate(token, deps);
    const { value, ignored } = await receive(request, { schema, maxBytes: MAX_ENTRY_BYTES });
    await deps.constants.refresh();
    const rates = deps.constants.current().constants.ledger.operator_rates;
    const recorded = await deps.writer.write((tx) =>
      record(tx, value, { by: actor.name, now: now(), rates }),
    );
    if (recorded.outcome === "refused") throw brokenContract(recorded.errors);
    const body = { ...answerOf(recorded.row), ...(ignored.length === 0 ? {} : { ignored }) };
    return Response.json(body, { status: recorded.outcome === "replayed" ? 200 : 201 });
  }
}

function listed(db: Db, request: Request): Response {
  const query = new ListQuery(request, LIST_LEDGER.filters);
  const after = query.cursor(["string", "number"] as const);
  const rows = listLedger(
    db,
    {
      asset: query.value("asset"),
      kind: query.value("kind"),
      source: query.value("source"),
      status: query.value("status"),
      currency: query.value("currency"),
      from: query.value("from"),
      to: query.value("to"),
      superseded: query.value("revisions") === "all",
    },
    query.limit + 1,
    after === undefined ? undefined : { period: after[0], id: after[1] },
  );
  return pageAnswer(rows, {
    limit: query.limit,
    toText: (row) => JSON.stringify(answerOf(row)),
    cursorOf: ({ period, id }) => [period, id],
  });
}
