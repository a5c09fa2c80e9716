/** The read API of daily figures. */

import { Elysia } from "elysia";
import { listEndpoint, type ReadDeps } from "../access/access.ts";
import { assetId, date, instant, object, orNull, revision, text } from "../base/api_description.ts";
import { Semaphore } from "../base/concurrency.ts";
import { Problem } from "../base/problem.ts";
import { anyText, DAYS, ListQuery, oneOf, pageAnswer } from "../base/query.ts";
import { dayNumber, dayOfNumber, formatInstant, parseUtcDay } from "../base/time.ts";
import { PROVIDERS, type Provider, SIGNAL_METRICS } from "../providers/adapter.ts";
import { hasAsset } from "../sites/sites.ts";
import { type ListedSignal, listSignals, type SignalPlace } from "./signal_list.ts";

const METRICS = [...new Set(Object.values(SIGNAL_METRICS).flat())];

const SIGNAL = object({
  asset: assetId,
  source: { type: "string", enum: PROVIDERS },
  metric: { type: "string", enum: METRICS },
  date: { ...date, description: "A day of the provider's own calendar." },
  time_zone: {
    ...orNull(text),
    description: "The time zone of that calendar; null where the provider does not tell it.",
  },
  value: {
    ...orNull({ type: "number" }),
    description: "Null where there is none: a day that is missing has no 0.",
  },
  state: {
    type: "string",
    enum: ["final", "provisional", "missing", "excluded"],
    description:
      "`provisional` days may still change by themselves; `excluded` ones were distorted by a change of the property's time zone.",
  },
  basis: {
    ...orNull({ type: "string", enum: ["reported", "omitted"] }),
    description:
      "`omitted`: the day is settled and the provider left it out of a whole answer, so that its counts are 0.",
  },
  observed_at: {
    ...orNull(instant),
    description: "When it was told as it stands here; null where nothing was ever told of the day.",
  },
  revision: {
    ...orNull(revision),
    description: "Counts the values that the day had, from 1; that a day settles is no revision.",
  },
  property: { ...text, description: "The provider's own id of the property." },
});

const EXAMPLE = {
  asset: "shop.example",
  source: "analytics",
  metric: "active_users",
  date: "2026-11-17",
  time_zone: "Europe/Paris",
  value: 131,
  state: "final",
  basis: "reported",
  observed_at: "2026-11-19T00:15:02.118Z",
  revision: 3,
  property: "300000001",
};

/** What a list of signals may be narrowed to. */
const FILTERS = {
  asset: anyText("The site again: with another one the list is empty.", assetId),
  provider: oneOf(PROVIDERS, "One provider."),
  metric: oneOf(METRICS, "One figure."),
  revisions: oneOf(["all", "current"], "`all` shows values that others took the place of, too."),
  ...DAYS,
} as const;

export const LIST_SIGNALS = listEndpoint({
  id: "listSignals",
  path: "/api/assets/:asset/signals",
  summary: "List the provider signals of a site",
  description:
    "The daily figures that were pulled for a site, the newest day first. A day inside an answered range of which the provider told nothing is `missing`; days outside are left out.",
  segments: { asset: { schema: assetId, description: "The site." } },
  filters: FILTERS,
  row: SIGNAL,
  example: EXAMPLE,
  refuses: ["not-found"],
});

/** Lists made at once: each reads some megabytes of observations. */
const turns = new Semaphore(2);

/** `GET /api/assets/{asset}/signals`. */
export function signalReads({ db, authorizeRead }: ReadDeps) {
  return new Elysia({ name: "signal-reads" }).get(LIST_SIGNALS.path, ({ request, params: { asset } }) => {
    authorizeRead(request);
    if (!hasAsset(db, asset)) throw new Problem("not-found", "No such site.");
    const query = new ListQuery(request, FILTERS);
    const [from, to] = [query.value("from"), query.value("to")];
    const filter = {
      asset,
      provider: query.value("provider"),
      metric: query.value("metric"),
      from: from === undefined ? undefined : dayNumber(from),
      to: to === undefined ? undefined : dayNumber(to),
      allRevisions: query.value("revisions") === "all",
    };
    const after = placeOf(query.cursor(["string", "string", "string", "number"] as const));
    const isOther = (query.value("asset") ?? asset) !== asset;
    return turns.run(async () => {
      const rows = isOther ? [] : await someOf(listSignals(db, filter, query.limit, after), query.limit + 1);
      return pageAnswer(rows, {
        limit: query.limit,
        toText: (row) => JSON.stringify(answerOf(asset, row)),
        cursorOf: ({ day, source, metric, revision }) => [dayOfNumber(day), source, metric, revision ?? 0],
      });
    });
  });
}

/** So many rows, with others at work in between. */
async function someOf(
  rows: Generator<ListedSignal | undefined>,
  most: number,
): Promise<readonly ListedSignal[]> {
  const some: ListedSignal[] = [];
  for (const row of rows) {
    if (row === undefined) await Bun.sleep(0);
    else if (some.push(row) === most) break;
  }
  return some;
}

/** Where a list goes on; from its beginning where the cursor is none of ours. */
function placeOf(cursor: readonly [string, string, string, number] | undefined): SignalPlace | undefined {
  if (cursor === undefined) return undefined;
  const [date, source, metric, revision] = cursor;
  const day = parseUtcDay(date);
  if (day === undefined || !PROVIDERS.some((known) => known === source)) return undefined;
  return { day: dayNumber(day), source: source as Provider, metric, revision };
}

function answerOf(asset: string, row: ListedSignal): Readonly<Record<string, unknown>> {
  const { source, metric, day, timeZone, value, state, basis, observedAt, revision, property } = row;
  return {
    asset,
    source,
    metric,
    date: dayOfNumber(day),
    time_zone: timeZone === "" ? null : timeZone,
    value,
    state,
    basis,
    observed_at: observedAt === null ? null : formatInstant(observedAt),
    revision,
    property,
  };
}
