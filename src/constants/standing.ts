/** How the document stands, told where it lasts: the log, the audit, and the monitoring failures that the pages show. */
import { type Db, isStorageFailure, type Writer } from "../db/mod.ts";
import { shortText } from "../lib/short_text.ts";
import { findMonitoringFailure, noteFailure, noteRecovery } from "../monitoring/mod.ts";
import { logOf } from "../platform/log.ts";
import { problemLine } from "./problem.ts";
import type { Refusal } from "./read_document.ts";
import { auditConstants } from "./record.ts";

const WATCHED = { kind: "constants", asset: "", source: "", subject: "constants.toml" } as const;

/** Longest words for one mistake, in characters: a key may be as long as the document. */
const LONGEST = 500;

/** Why a document is not in effect, or why its file is behind, in plain words. */
export function refusalWords({ problems, more, reason }: Refusal, version: number): string {
  const [first, ...rest] = problems;
  const others = rest.length + more;
  const what = first === undefined ? reason : reason === "invalid" ? problemLine(first) : first.message;
  const and = others === 0 ? "" : `, and ${others} more`;
  return `The rules run with the last good constants, version ${version}. constants.toml is not in effect: ${shortText(what, LONGEST)}${and}.`;
}

/** What is said of a saved version whose file could not be written. */
export function unwrittenWords(version: number): string {
  return `Version ${version} is in effect, but constants.toml could not be written and holds the text before. It is tried again.`;
}

/** Since when the document is not in effect, by what was written down; undefined while nothing was. */
export function brokenSince(db: Db): number | undefined {
  return findMonitoringFailure(db, WATCHED)?.since;
}

/**
 * Writes down how the document stands when that changed: `wrong` in plain words, or undefined. What cannot be written down is
 * logged all the same, and tried again with the next look.
 */
export async function tellStanding(
  deps: { readonly db: Db; readonly writer: Pick<Writer, "write"> },
  wrong: string | undefined,
  now: { readonly at: number; readonly version: number },
): Promise<void> {
  const { at, version } = now;
  if (findMonitoringFailure(deps.db, WATCHED)?.reason === wrong) return;
  const log = logOf("constants");
  if (wrong === undefined) log.info("the constants document is in effect again");
  else log.error("the constants document is not as it should be", { reason: wrong });
  try {
    await deps.writer.write((tx) => {
      if (wrong === undefined) {
        if (noteRecovery(tx, WATCHED, at))
          auditConstants(tx, "recover", { at, actor: "service", detail: { version } });
      } else if (noteFailure(tx, WATCHED, { reason: wrong, now: at })) {
        auditConstants(tx, "refuse", { at, actor: "service", detail: { version } });
      }
    });
  } catch (error) {
    if (!isStorageFailure(error)) throw error;
  }
}
