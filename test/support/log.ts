/** One line that was logged. */

import { configureSync, type Logger, type LogRecord } from "@logtape/logtape";

export interface Logged {
  readonly level: string;
  readonly message: string;
  readonly properties: Readonly<Record<string, unknown>>;
}

/** A log that keeps its lines, so that a test can say which failures it expects. */
export function capturingLog(): { readonly log: Logger; readonly lines: Logged[] } {
  const lines: Logged[] = [];
  const at =
    (level: string) =>
    (message: string, properties: Record<string, unknown> = {}) => {
      lines.push({ level, message, properties });
    };
  const log = { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
  return { log: log as unknown as Logger, lines };
}

const captures = new Set<Logged[]>();

/** Keeps what the service logs from now on, until `end`. */
export function captureLog(): { readonly lines: readonly Logged[]; end(): void } {
  if (captures.size === 0) {
    configureSync({
      reset: true,
      sinks: { captures: keep },
      loggers: [
        { category: "tower", lowestLevel: "debug", sinks: ["captures"] },
        { category: ["logtape", "meta"], lowestLevel: "error", sinks: [] },
      ],
    });
  }
  const lines: Logged[] = [];
  captures.add(lines);
  return { lines, end: () => void captures.delete(lines) };
}

function keep({ level, message, properties }: LogRecord): void {
  const line = {
    level: level === "warning" ? "warn" : level,
    message: message.map(String).join(""),
    properties,
  };
  for (const lines of captures) lines.push(line);
}
