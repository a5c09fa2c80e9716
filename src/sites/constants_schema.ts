/**
 * What the constants document may hold: every key with its bounds and default (spec, Codebase rules and Volume-aware flow
 * rules). An absent key has its default; in an override an absent key falls back to the next wider value.
 */

import * as v from "valibot";
import {
  AssetIdSchema,
  boundedList,
  currencyRule,
  hasControl,
  rule,
  ruleMessage,
  text,
} from "../base/contract.ts";
import { isTimeZone, parseUtcDay } from "../base/time.ts";
import { NO_COUNTS, PROVIDERS, type Provider, SIGNAL_METRICS } from "../providers/adapter.ts";
import defaultText from "./constants.toml" with { type: "text" };
import {
  asRead,
  defaultsOf,
  isMarkedDate,
  isWithin,
  mustBe,
  THRESHOLDS,
  type Threshold,
  type ThresholdTable,
  WEEKDAYS,
} from "./thresholds.ts";

/** The text that is written when there is no constants document yet: every key with its unit and default. */
export const DEFAULT_DOCUMENT: string = defaultText;

/** What the lists and the archive are where a document says nothing. */
const { flow_rules: DEFAULT_RULES, archive: DEFAULT_ARCHIVE } = Bun.TOML.parse(DEFAULT_DOCUMENT) as {
  readonly flow_rules: { readonly negative_metrics: string[] };
  readonly archive: { [K in keyof typeof archive]: v.InferOutput<(typeof archive)[K]> };
};

// The schema pieces that the contract is made of: bounded numbers, TOML tables, defaults and overrides.

/** A number for which `holds`; `message` says which. */
function number(holds: (value: number) => boolean, message: string) {
  return v.pipe(v.number(ruleMessage("type", message)), rule<number>("range", holds, message));
}

/** A whole number from `least` to `most`, both included. */
function whole(least: number, most: number) {
  return number(
    (value) => Number.isInteger(value) && value >= least && value <= most,
    `must be a whole number from ${least} to ${most}`,
  );
}

type ThresholdSchemas<T extends ThresholdTable> = {
  readonly [K in keyof (typeof THRESHOLDS)[T]]: (typeof THRESHOLDS)[T][K] extends Threshold<infer V>
    ? v.GenericSchema<V>
    : never;
};

/** A schema for each threshold of a table, with its bounds. */
function thresholds<T extends ThresholdTable>(table: T): ThresholdSchemas<T> {
  return Object.fromEntries(
    Object.entries<Threshold>(THRESHOLDS[table]).map(([key, threshold]) => [key, thresholdSchema(threshold)]),
  ) as unknown as ThresholdSchemas<T>;
}

function thresholdSchema(threshold: Threshold) {
  const { bounds, mayBeMeasured } = threshold;
  const must = mustBe(threshold);
  const type = ruleMessage("type", must);
  return v.pipe(
    mayBeMeasured === true ? v.union([v.literal("measured"), v.number()], type) : v.number(type),
    rule<number | "measured">("range", (value) => value === "measured" || isWithin(bounds, value), must),
    v.transform((value) => asRead(threshold, value)),
  );
}

/** A TOML table. A list or a date is an object to JavaScript, so both are refused by name. */
function isTable(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** Judges a table by `schema`, and says `broken` to anything else. */
function table<S extends v.GenericSchema>(
  schema: S,
  broken: string = ruleMessage("type", "must be a table"),
): v.SchemaWithPipe<readonly [v.UnknownSchema, v.CheckAction<unknown, string>, S]> {
  return v.pipe(v.unknown(), v.check(isTable, broken), schema);
}

/** A key that is none of a table's: a typo in a threshold must never be silent. */
const UNKNOWN = v.never(ruleMessage("unknown-key", "is not a known key"));

/** A table with these keys and no other. */
const keysOf = <const E extends v.ObjectEntries>(entries: E) =>
  v.objectWithRest(entries, UNKNOWN) as unknown as v.ObjectSchema<E, undefined>;

type Entries = Readonly<Record<string, v.GenericSchema>>;

/** The same keys, each of which may be absent. */
function overridable<const E extends Entries>(entries: E) {
  return Object.fromEntries(
    Object.entries(entries).map(([key, schema]) => [key, v.exactOptional(schema)]),
  ) as { [K in keyof E]: v.ExactOptionalSchema<E[K], undefined> };
}

/** The same keys, each with the default it has when absent. */
function defaulted<const E extends Entries>(entries: E, defaults: { [K in keyof E]: v.InferOutput<E[K]> }) {
  return Object.fromEntries(
    Object.entries(entries).map(([key, schema]) => [key, v.optional(schema, defaults[key])]),
  ) as unknown as { [K in keyof E]: v.OptionalSchema<E[K], v.InferInput<E[K]>> };
}

/** Largest constants document, in bytes. */
export const MAX_DOCUMENT_BYTES = 256 * 1024;

/** Most patterns in one `negative_metrics` list. */
const MAX_PATTERNS = 200;

/** Largest amount in minor units that a number holds exactly. */
const MAX_MINOR_UNITS = Number.MAX_SAFE_INTEGER;

const codebaseRules = thresholds("codebase_rules");
const flowRules = thresholds("flow_rules");
const percentDrop = thresholds("percent_drop");
const freshness = thresholds("freshness");

const pattern = v.pipe(
  text(200),
  rule<string>("empty", (value) => value !== "", "must not be empty"),
  rule<string>("control-character", (value) => !hasControl(value), "must not hold a control character"),
);

const negativeMetrics = boundedList(pattern, MAX_PATTERNS);

const clockTime = v.pipe(
  v.string(ruleMessage("type", 'must be a time such as "22:00"')),
  rule<string>(
    "clock-time",
    (value) => /^(?:[01]\d|2[0-3]):[0-5]\d$/.test(value),
    'must be a time from "00:00" to "23:59"',
  ),
);

const timeZone = v.pipe(
  v.string(ruleMessage("type", "must be the name of a time zone")),
  rule<string>("time-zone", isTimeZone, 'must be the name of a time zone, for example "Europe/Berlin"'),
);

const Notifications = v.pipe(
  keysOf({
    quiet_from: v.exactOptional(clockTime),
    quiet_until: v.exactOptional(clockTime),
    time_zone: v.optional(timeZone, "UTC"),
  }),
  v.check(
    (section) => (section.quiet_from === undefined) === (section.quiet_until === undefined),
    ruleMessage("pair", "must have both quiet_from and quiet_until, or neither"),
  ),
  v.check(
    ({ quiet_from: from, quiet_until: until }) => from === undefined || from !== until,
    ruleMessage("pair", 'must have a quiet_until other than quiet_from, for example "22:00" and "07:00"'),
  ),
);

const currency = v.pipe(v.string(), currencyRule);

const metricRules = keysOf({
  ...overridable(flowRules),
  percent_drop: v.exactOptional(table(keysOf(overridable(percentDrop)))),
});

const MetricFlowRules = table(
  metricRules,
  ruleMessage("unknown-key", "is not a known key, and a metric's override must be a table"),
);

/** What the document says of one metric of a site alone. */
export type MetricOverrides = v.InferOutput<typeof MetricFlowRules>;

/** The thresholds of what providers tell of a site, by provider and figure; what is no count has none. */
const AssetSignalRules = table(
  keysOf(
    Object.fromEntries(
      PROVIDERS.map((provider) => {
        const counts = SIGNAL_METRICS[provider].filter((metric) => !NO_COUNTS.includes(metric));
        const metrics = counts.map((metric) => [metric, v.exactOptional(table(metricRules))] as const);
        return [provider, v.exactOptional(table(keysOf(Object.fromEntries(metrics))))];
      }),
    ),
  ),
) as v.GenericSchema<unknown, SignalOverrides>;

/** What the document says of a site's figures alone, by source and metric. */
type SignalOverrides = Readonly<Partial<Record<Provider, Readonly<Record<string, MetricOverrides>>>>>;

/** The keys of a site's `flow_rules` that are no metric. */
const ownFlowRules = {
  ...overridable(flowRules),
  percent_drop: v.exactOptional(table(keysOf(overridable(percentDrop)))),
  negative_metrics: v.exactOptional(negativeMetrics),
};

/** A metric of such a name cannot have a table of its own. */
export const FLOW_KEYS: readonly string[] = Object.keys(ownFlowRules);

/** In the text a metric's table stands beside the site's own keys; read, they are two things. */
const AssetFlowRules = v.pipe(
  table(v.objectWithRest(ownFlowRules, MetricFlowRules)),
  v.transform((told) => {
    const part = (isOwn: boolean) =>
      Object.fromEntries(Object.entries(told).filter(([key]) => FLOW_KEYS.includes(key) === isOwn));
    return {
      own: part(true) as v.InferOutput<v.ObjectSchema<typeof ownFlowRules, undefined>>,
      metrics: part(false) as Record<string, MetricOverrides>,
    };
  }),
);

/** Names of events and of their parameters, as analytics has them. */
const eventName = v.pipe(
  v.string(ruleMessage("type", "must be the name of an event or of a parameter")),
  rule<string>(
    "event-name",
    (name) => /^[A-Za-z][A-Za-z0-9_]{0,39}$/.test(name),
    "must begin with a letter and have at most 40 letters, digits and underscores",
  ),
);

/** Most events that errors of scripts are told by. */
const MAX_EVENTS = 10;

const archive = {
  max_rows: whole(1, 100_000_000),
  max_bytes: whole(1_024, 4_294_967_296),
  js_error_events: v.pipe(
    boundedList(eventName, MAX_EVENTS),
    rule<string[]>("empty", (names) => names.length > 0, "must name at least one event"),
  ),
  js_error_message: eventName,
  js_error_source: eventName,
};

const weight = number((value) => value > 0 && value <= 1_000, "must be a number above 0, at most 1000");

const panels = { daily_budget: whole(0, 10_000_000) };

const AssetConstants = table(
  keysOf({
    archive: v.exactOptional(table(keysOf(overridable(archive)))),
    codebase_rules: v.exactOptional(table(keysOf(overridable(codebaseRules)))),
    flow_rules: v.exactOptional(AssetFlowRules),
    signal_rules: v.exactOptional(AssetSignalRules),
    freshness: v.exactOptional(table(keysOf(overridable(freshness)))),
    weight: v.exactOptional(weight),
  }),
);

/** Most marks, and most patterns in one list of a mark. */
const MAX_MARKS = 200;

const markedDate = v.pipe(
  v.string(ruleMessage("type", 'must be a date in quotes, for example "12-25" or "2026-11-27"')),
  rule<string>(
    "calendar-date",
    isMarkedDate,
    'must be a date that exists: "12-25" for each year, or "2026-11-27" for once',
  ),
);

const monthDay = number(
  (day) => Number.isInteger(day) && day !== 0 && Math.abs(day) <= 31,
  "must be a day of the month from 1 to 31, or from -1 (the last) to -31",
);

const NTH_WEEKDAY = new RegExp(`^(?:[1-5]|last) (?:${WEEKDAYS.join("|")})$`);

const nthWeekday = v.pipe(
  v.string(ruleMessage("type", 'must be a weekday of the month, for example "2 Tue" or "last Fri"')),
  rule<string>(
    "nth-weekday",
    (text) => NTH_WEEKDAY.test(text),
    'must be 1 to 5 or last, a space and a weekday, for example "2 Tue" or "last Fri"',
  ),
);

const every = table(
  keysOf({
    weekday: v.picklist(WEEKDAYS, ruleMessage("weekday", `must be one of ${WEEKDAYS.join(", ")}`)),
    weeks: whole(1, 52),
    from: v.pipe(
      v.string(ruleMessage("type", 'must be a date in quotes, for example "2026-01-06"')),
      rule<string>(
        "calendar-date",
        (text) => parseUtcDay(text) !== undefined,
        'must be a date that exists, for example "2026-01-06"',
      ),
    ),
  }),
);

/** A list that names something: a mark of no day or of no site would mark nothing. */
function someOf<S extends v.GenericSchema>(item: S) {
  return v.pipe(
    boundedList(item, MAX_MARKS),
    v.nonEmpty(ruleMessage("empty", "must name at least one; leave the key out for none")),
  );
}

const MarkedDaysTable = v.pipe(
  table(
    keysOf({
      name: pattern,
      dates: v.exactOptional(someOf(markedDate)),
      month_days: v.exactOptional(someOf(monthDay)),
      nth_weekdays: v.exactOptional(someOf(nthWeekday)),
      every: v.exactOptional(every),
      assets: v.exactOptional(someOf(AssetIdSchema)),
    }),
  ),
  v.check(
    ({ dates, month_days, nth_weekdays, every: weeks }) =>
      (dates ?? month_days ?? nth_weekdays ?? weeks) !== undefined,
    ruleMessage("no-days", "must have at least one of dates, month_days, nth_weekdays and every"),
  ),
);

/** The whole document. */
export const ConstantsSchema = table(
  keysOf({
    codebase_rules: v.optional(table(keysOf(defaulted(codebaseRules, defaultsOf("codebase_rules")))), {}),
    flow_rules: v.optional(
      table(
        keysOf({
          ...defaulted(flowRules, defaultsOf("flow_rules")),
          percent_drop: v.optional(table(keysOf(defaulted(percentDrop, defaultsOf("percent_drop")))), {}),
          negative_metrics: v.optional(negativeMetrics, DEFAULT_RULES.negative_metrics),
        }),
      ),
      {},
    ),
    freshness: v.optional(table(keysOf(defaulted(freshness, defaultsOf("freshness")))), {}),
    notifications: v.optional(table(Notifications), {}),
    ledger: v.optional(
      table(
        keysOf({
          operator_rates: v.optional(table(v.record(currency, whole(0, MAX_MINOR_UNITS))), {}),
        }),
      ),
      {},
    ),
    panels: v.optional(table(keysOf(defaulted(panels, { daily_budget: 100 }))), {}),
    archive: v.optional(table(keysOf(defaulted(archive, DEFAULT_ARCHIVE))), {}),
    marked_days: v.optional(boundedList(MarkedDaysTable, MAX_MARKS), []),
    assets: v.optional(table(v.record(AssetIdSchema, AssetConstants)), {}),
  }),
);

/** The document's values, defaults filled in; `assets` holds only what an override names. */
export type Constants = v.InferOutput<typeof ConstantsSchema>;

/** Overrides of one site. */
export type AssetOverrides = v.InferOutput<typeof AssetConstants>;
