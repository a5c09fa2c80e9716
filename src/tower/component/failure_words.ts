/**
 * Why a provider gave no result, in reviewed words: never the provider's own text. What an operator can do about it stands beside.
 * When an allowance comes back is nothing that is known here, so no sentence says it.
 */
import type { FailureCategory } from "../../provider/contract.ts";

export interface FailureWords {
  /** What happened, after "failed:". */
  readonly why: string;
  /** Who must act, and how. */
  readonly action: string;
}

export const FAILURE_WORDS: Readonly<Record<FailureCategory, FailureWords>> = {
  access: {
    why: "the provider refuses access",
    action: "Add the account to the property, or replace the credential.",
  },
  rate_limit: {
    why: "the provider asks for fewer questions",
    action: "Nothing to do: Tower waits, then asks again by itself.",
  },
  exhausted_budget: {
    why: "the provider's allowance for this is used up",
    action: "Nothing to do here: asking again does not bring it back.",
  },
  network: {
    why: "the provider could not be reached",
    action: "Nothing to do if it passes; if it stays, look at this machine's way to the internet.",
  },
  provider_error: {
    why: "the provider answered with a fault of its own",
    action: "Nothing to do: Tower asks again by itself.",
  },
  invalid_report: {
    why: "the answer is not of the documented form",
    action: "Nothing of it was stored. If it stays, the provider may have changed its answers.",
  },
  incomplete_report: {
    why: "the answer was not complete",
    action: "Nothing of it was stored. Tower asks again by itself.",
  },
  configuration: {
    why: "the provider does not take the question as it is set up",
    action: "Look at the property, the credential and whether the provider's API is enabled.",
  },
  monitoring_failure: {
    why: "Tower could not write down what came of it",
    action: "Look at the storage of this machine.",
  },
};
