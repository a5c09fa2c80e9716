import { type AuditDetail, appendAudit } from "../../audit/mod.ts";
import type { ConstantsKeeper, SaveResult } from "../../constants/mod.ts";
import type { Tx, Writer } from "../../db/mod.ts";
import type { Actor } from "../../platform/access.ts";
import type { Clock } from "../../platform/clock.ts";

/** What saving works with. */
export interface SaveDeps {
  readonly clock: Clock;
  readonly writer: Pick<Writer, "write">;
  readonly constants: ConstantsKeeper;
}

/** A text to put in effect. */
export interface ConstantsDraft {
  readonly text: string;
  /** Digest of the document that was edited. */
  readonly digest: string;
}

/**
 * Saves an operator's text through the keeper and appends the act to the audit, with whatever else belongs to it. The keeper
 * records the version by itself, so an act that cannot be written down leaves a version that still names its author.
 */
export async function saveConstants(
  deps: SaveDeps,
  actor: Actor,
  draft: ConstantsDraft,
  also: { readonly detail?: AuditDetail; readonly write?: (tx: Tx, version: number) => void } = {},
): Promise<SaveResult> {
  const mends = deps.constants.problem !== undefined;
  const result = await deps.constants.save(draft.text, actor.id, draft.digest);
  if (!result.ok || (result.current.digest === draft.digest && !mends)) return result;
  const { version } = result.current;
  await deps.writer.write((tx) => {
    appendAudit(tx, {
      at: deps.clock.now(),
      actor: actor.id,
      act: "constants.save",
      target: "constants",
      detail: { version, ...also.detail },
    });
    also.write?.(tx, version);
  });
  return result;
}
