/** Structured logs: one JSON object a line on standard error, built by `JSON.stringify` so that no value can forge a line. */

import { configure, getLogger, type Logger, type LogRecord } from "@logtape/logtape";
import { shortText } from "./text.ts";

const LONGEST_VALUE = 4_000;

/** Writes log records of at least `level` to standard error. What cannot be written there is lost, and nothing else is. */
export async function configureLog(level: "debug" | "info" | "warning" | "error"): Promise<void> {
  process.stderr.off("error", ignore).on("error", ignore);
  await configure({
    reset: true,
    sinks: { stderr: (record) => process.stderr.write(lineOf(record)) },
    loggers: [
      { category: "tower", lowestLevel: level, sinks: ["stderr"] },
      { category: ["logtape", "meta"], lowestLevel: "error", sinks: ["stderr"] },
    ],
  });
}

/** A log on a full disk fails, and may be written again once there is room; nobody could be told meanwhile. */
function ignore(): void {}

/** The logger of one part of the service. */
export function logOf(part: string): Logger {
  return getLogger(["tower", part]);
}

function lineOf(record: LogRecord): string {
  const values = Object.fromEntries(
    Object.entries(record.properties).map(([key, value]) => [
      key,
      typeof value === "string" ? shortText(value, LONGEST_VALUE) : value,
    ]),
  );
  return `${JSON.stringify({
    at: new Date(record.timestamp).toISOString(),
    level: record.level,
    part: record.category.slice(1).join("."),
    message: record.message.map(String).join(""),
    ...values,
  })}\n`;
}
