/** What a nightly report may hold (spec, Nightly report). */

import * as v from "valibot";
import {
  AssetIdSchema,
  boundedList,
  fields,
  hasControl,
  NO_CONTROL,
  plainObject,
  rule,
  ruleMessage,
  text,
} from "../base/contract.ts";
import { Timestamp } from "../base/time.ts";
import { count } from "./measures.ts";

/** Largest body of a nightly report, in bytes. */
export const MAX_PULSE_BYTES = 256 * 1024;

/** Most metrics, flags and pages with negative events of one report: each is judged, shown or raised on its own. */
const METRICS = 200;
const FLAGS = 100;
const PAGES = 1_000;

const NAME = 200;
const PAGE = 512;
const MESSAGE = 2_000;

const decimal = v.pipe(
  v.unknown(),
  v.check(
    (value) => typeof value === "number" && Number.isFinite(value),
    ruleMessage("decimal", "must be a number"),
  ),
  v.transform((value) => (value as number) + 0),
  v.number(),
);

/** Something named on one line: not empty, no control characters. */
function line(max: number) {
  return v.pipe(
    text(max),
    rule<string>("not-empty", (value) => value !== "", "must not be empty"),
    rule<string>("control-character", (value) => !hasControl(value), "must not hold a control character"),
    v.metadata({ minLength: 1, ...NO_CONTROL }),
  );
}

const name = line(NAME);
const page = line(PAGE);

const list = <S extends v.GenericSchema>(item: S) => v.array(item, ruleMessage("type", "must be a list"));

const picklist = <const T extends readonly string[]>(values: T) =>
  v.picklist(values, ruleMessage("enum", `must be one of ${values.join(", ")}`));

/** A flag in transit; `msg` is text and nothing else. What a milestone's severity becomes: see `milestonesAsInfo`. */
const Flag = fields({
  severity: picklist(["info", "warn", "error"]),
  kind: picklist(["anomaly", "opportunity", "milestone"]),
  metric: v.exactOptional(name),
  msg: text(MESSAGE),
});

/** One metric's figures. `avg7d` is diagnostic: it is kept and shown, and never reaches a baseline. */
const Metric = fields({
  last24h: v.exactOptional(count),
  avg7d: v.exactOptional(v.pipe(decimal, v.description("Kept and shown; no rule reads it."))),
  total: v.exactOptional(count),
});

export const PulseSchema = fields({
  asset: AssetIdSchema,
  generatedAt: Timestamp,
  capabilities: v.exactOptional(list(name)),
  metrics: v.pipe(
    plainObject,
    // Before any metric, so that a hostile report costs one issue, not thousands.
    v.rawCheck<unknown>(({ dataset, addIssue }) => {
      // What is no object has its issue already, and no keys to count.
      if (dataset.issues !== undefined || Object.keys(dataset.value as object).length <= METRICS) return;
      addIssue({ message: ruleMessage("max-items", `must have at most ${METRICS} metrics`) });
    }),
    v.record(name, Metric, ruleMessage("type", "must be an object")),
    v.metadata({
      maxProperties: METRICS,
      description:
        "By the metric's name. A metric or a figure that is absent was not measured; it is never 0.",
    }),
  ),
  negativeByPage: v.exactOptional(boundedList(fields({ page, count }), PAGES)),
  flags: v.exactOptional(boundedList(Flag, FLAGS)),
});

export type Pulse = v.InferOutput<typeof PulseSchema>;
