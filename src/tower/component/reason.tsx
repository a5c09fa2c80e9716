import { failureWords } from "../../health/mod.ts";
import type { FailureCategory } from "../../provider/contract.ts";

/** Why a provider gave no result, and what to do about it, where no more than its category is known. */
export function Reason({ category }: { readonly category: FailureCategory }) {
  const { why, action } = failureWords({ category, code: null });
  return (
    <>
      {why} {action.text}
    </>
  );
}
