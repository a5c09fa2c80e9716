import type { Logger } from "@logtape/logtape";

/** One line that was logged. */
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
