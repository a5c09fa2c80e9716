/** Why a provider gave no result, and what to do about it, where no more than its category is known. */

import { failureWords } from "../../health/capability_words.ts";
import type { FailureCategory } from "../../providers/faults.ts";

export function Reason({ category }: { readonly category: FailureCategory }) {
  const { why, action } = failureWords({ category, code: null });
  return (
    <>
      {why} {action.text}
    </>
  );
}
