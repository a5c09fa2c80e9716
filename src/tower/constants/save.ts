import type { ConstantsKeeper, SaveResult, Saver } from "../../constants/mod.ts";
import type { Actor } from "../../platform/access.ts";

/** A text to put in effect. */
export interface ConstantsDraft {
  readonly text: string;
  /** Digest of the document that was edited. */
  readonly digest: string;
}

/** Saves an operator's text, with whatever else belongs to the act: all of it is saved, or none. */
export function saveConstants(
  deps: { readonly constants: ConstantsKeeper },
  actor: Actor,
  draft: ConstantsDraft,
  also: Omit<Saver, "author"> = {},
): Promise<SaveResult> {
  return deps.constants.save(draft.text, { ...also, author: actor.id }, draft.digest);
}
