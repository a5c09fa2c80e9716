import * as v from "valibot";
import { rule, ruleMessage } from "./contract.ts";
import { INSTANT_PATTERN, parseInstant } from "./instant.ts";

/** An ISO 8601 timestamp with seconds and an offset, kept as it was written. */
export const Timestamp = v.pipe(
  v.string(ruleMessage("type", "must be a string")),
  rule<string>(
    "timestamp",
    (value) => parseInstant(value) !== undefined,
    "must be an ISO 8601 timestamp with an offset, for example 2026-03-01T02:30:00Z",
  ),
  v.metadata({ format: "date-time", pattern: INSTANT_PATTERN }),
);
