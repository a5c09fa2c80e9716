/** The ledger's routes of the API: posting revenue and costs, and reading them. */

import { Elysia } from "elysia";
import type { GenericSchema, InferOutput } from "valibot";
import { ACT_REFUSALS, type Actor, listEndpoint } from "../access/access.ts";
import type { ApiTokenBook } from "../access/api_tokens.ts";
import type { Endpoint } from "../base/api_description.ts";
import * as json from "../base/api_description.ts";
import { CURRENCIES, CURRENCY_MUST } from "../base/contract.ts";
import { anyText, DAYS, ListQuery, ofSite, oneOf, pageAnswer } from "../base/query.ts";
import { bearerToken, brokenContract, RECEIVE_REFUSALS, receive } from "../base/receive.ts";
import type { ConstantsStore } from "../sites/constants_store.ts";
import { assertWithinRate, type SendRates } from "../sites/report_sender.ts";
import type { Core } from "../store/core.ts";
import type { Tx } from "../store/store.ts";
import { costSchema, ENTRY_KINDS, REVENUE_STATUSES, revenueSchema } from "./amount.ts";
import { answerOf, listLedger, type RecordedBy, recordCost, recordRevenue } from "./ledger.ts";

/** Largest body of a row, in bytes. */
const MAX_ENTRY_BYTES = 16 * 1024;

const units = { type: "integer", minimum: -Number.MAX_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };
const nameOf = (values: readonly string[]) => ({ type: "string", enum: values });
const [text, textOrNull, countOrNull] = [json.text, json.orNull(json.text), json.orNull(json.count)];

const FIELDS = {
  id: text,
  asset: json.orNull(json.assetId),
  kind: nameOf(ENTRY_KINDS),
  source: text,
  period: text,
  status: json.orNull(nameOf(REVENUE_STATUSES)),
  change: textOrNull,
  minutes: countOrNull,
  rate: { ...countOrNull, description: "The price of an operator's hour at entry, in minor units." },
  amount: { ...units, description: "Minor units of `currency`." },
  currency: nameOf(CURRENCIES),
  currency_basis: { ...nameOf(["stated", "legacy"]), description: "`legacy`: none was sent, so USD." },
  ref: textOrNull,
  corrects: { ...textOrNull, description: "The row that this one supersedes." },
  recorded_at: json.instant,
  recorded_by: text,
};
const RANGE = { low: units, high: units };
const ROW = json.object({ ...FIELDS, ...RANGE }, Object.keys(FIELDS));
const POSTED = { allOf: [ROW, json.object({ ignored: json.pointers }, [])] };

const SHARED = { asset: "shop.example", period: "2026-10", currency: "EUR", ref: "2026-10-001" };
const NEW_REVENUE = { ...SHARED, source: "adsense", status: "booked", amount: 125_050 };
const NEW_COST = { ...SHARED, kind: "inference", source: "anthropic", change: "v42", amount: 1_250 };
const STORED = { recorded_at: "2026-11-21T10:00:04.218Z", recorded_by: "ci" };
const ADDED = { minutes: null, rate: null, currency_basis: "stated", corrects: null, ...STORED };
const REVENUE = { id: "1", kind: "revenue", change: null, ...NEW_REVENUE, ...ADDED };
const COST = { id: "2", status: null, ...NEW_COST, ...ADDED };

const RULES =
  "The same identity and amount again is a replay; another amount is a correction, which supersedes the row before it and keeps its currency. A currency may be left out of a correction, and of an upload marked `legacy`, where it is USD. A body has at most 16 KiB.";

const posting = (example: unknown) =>
  ({
    tag: "Ledger",
    method: "POST",
    listeners: ["tower"],
    open: "bookkeeper",
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

/** The description knows no moment. */
const ever = () => Date.parse("9000-01-01");

export const POST_REVENUE = {
  ...posting(REVENUE),
  id: "postRevenue",
  path: "/api/ledger/revenue",
  summary: "Record revenue",
  description: `Identity is site, source, period, status and ref. An estimate may be a range. ${RULES}`,
  takes: { name: "Revenue", schema: revenueSchema(ever), example: NEW_REVENUE },
} as const satisfies Endpoint;

export const POST_COST = {
  ...posting(COST),
  id: "postCost",
  path: "/api/ledger/costs",
  summary: "Record a cost",
  description: `Identity is site, kind, source, period, change and ref. No site means all of them. Minutes are priced by the operator rate at entry; the same minutes are a replay after the rate changed. ${RULES}`,
  takes: { name: "Cost", schema: costSchema(ever), example: NEW_COST },
} as const satisfies Endpoint;

export const LIST_LEDGER = listEndpoint({
  id: "listLedger",
  tag: "Ledger",
  path: "/api/ledger",
  summary: "List the ledger",
  description:
    "Revenue and costs, the newest period first, and in it what was recorded last. A month lies between `from` and `to` where any of its days does.",
  filters: {
    asset: ofSite("A site; costs of all sites are in no site's list."),
    kind: oneOf(ENTRY_KINDS, "One kind."),
    source: anyText("One source."),
    status: oneOf(REVENUE_STATUSES, "One status of revenue."),
    currency: { ...oneOf(CURRENCIES, "One currency."), rule: CURRENCY_MUST },
    ...DAYS,
    revisions: oneOf(["all"] as const, "`all` shows superseded rows, too."),
  },
  row: ROW,
  example: COST,
});

/** What the ledger's routes need; `authorize` lets in an operator or a token of scope ledger. Both throw a `Problem`. */
interface LedgerRouteDeps extends Core {
  readonly sendRates: SendRates;
  readonly constants: Pick<ConstantsStore, "current" | "refresh">;
  readonly apiTokens: Pick<ApiTokenBook, "find">;
  readonly authorize: (request: Request) => Actor;
  readonly authorizeRead: (request: Request) => unknown;
}

/** `POST /api/ledger/revenue`, `POST /api/ledger/costs` and `GET /api/ledger`. */
export function ledgerRoutes(deps: LedgerRouteDeps) {
  const now = () => deps.clock.now();
  const unparsed = { parse: "none" } as const;
  return new Elysia()
    .post(POST_REVENUE.path, ({ request }) => posted(request, revenueSchema(now), recordRevenue), unparsed)
    .post(POST_COST.path, ({ request }) => posted(request, costSchema(now), recordCost), unparsed)
    .get(LIST_LEDGER.path, ({ request }) => listed(request));

  async function posted<S extends GenericSchema>(
    request: Request,
    schema: S,
    record: (tx: Tx, value: InferOutput<S>, by: RecordedBy) => ReturnType<typeof recordCost>,
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

  function listed(request: Request): Response {
    deps.authorizeRead(request);
    const query = new ListQuery(request, LIST_LEDGER.filters);
    const cursor = query.cursor(["string", "number"] as const);
    const after = cursor && { period: cursor[0], id: cursor[1] };
    return pageAnswer(listLedger(deps.store.db, query.values(), query.limit + 1, after), {
      query,
      toText: (row) => JSON.stringify(answerOf(row)),
      cursorOf: ({ period, id }) => [period, id],
    });
  }
}
