/** What is known of a reason for which there is no answer. */
export interface FaultKind {
  /** One of `FAILURE_CATEGORIES` (`contract.ts`). */
  readonly category: string;
  /** Everything that is asked of the same provider with the same credential, or one property. */
  readonly scope: "property" | "credential";
  /** What happened, as a short sentence. */
  readonly words: string;
  /** What is safe to do about it. */
  readonly action: string;
}

/** The action where only time helps. */
export const LATER = "Nothing to do: Tower asks again by itself.";

/** One reason. */
export const kind = <Category extends string>(
  category: Category,
  scope: FaultKind["scope"],
  words: string,
  action: string,
) => ({ category, scope, words, action });
