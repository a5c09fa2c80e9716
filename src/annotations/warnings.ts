/** What is worth knowing about an annotation that was stored all the same. */
import { hasAsset, nearSites } from "../assets/mod.ts";
import type { Db } from "../db/mod.ts";
import { momentText } from "../lib/day_text.ts";
import { type Json, list, object, text } from "../platform/json_schema.ts";
import { EVERY_SITE } from "./contract.ts";
import type { StoredAnnotation } from "./store.ts";

/** A code for programs, and a sentence for people. */
export interface AnnotationWarning {
  readonly code: "unknown-site" | "struck";
  readonly message: string;
  /** Of an unknown site: the identifiers of known ones near it, if any. */
  readonly nearest?: readonly string[];
}

/** What the warnings are in the API's description. */
export const WARNINGS: Json = {
  ...list(
    object(
      {
        code: { enum: ["unknown-site", "struck"] },
        message: text,
        nearest: { ...list(text), description: "Of unknown-site: known sites whose identifiers lie near." },
      },
      ["code", "message"],
    ),
  ),
  description: "What is worth knowing about the row, if anything.",
};

/** A site that nobody added is perhaps a typo, and what was struck does not stand because it is posted again. */
export function warningsOf(db: Db, { asset, struck }: StoredAnnotation, now: number): AnnotationWarning[] {
  const warnings: AnnotationWarning[] = [];
  if (asset !== EVERY_SITE && !hasAsset(db, asset)) {
    const near = nearSites(db, asset);
    const meant = near.length === 0 ? "" : ` Near it: ${near.join(", ")}.`;
    warnings.push({
      code: "unknown-site",
      message: `${asset} is not in the portfolio: the entry is kept, and joins the site when it is added.${meant}`,
      nearest: near,
    });
  }
  if (struck !== undefined) {
    warnings.push({
      code: "struck",
      message: `This entry was struck by ${struck.by} on ${momentText(struck.at, now)}, and stays so.`,
    });
  }
  return warnings;
}
