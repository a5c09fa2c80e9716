import type { Outcome } from "./contract.ts";
import type { Asked } from "./question.ts";

/** What an answer comes to when it is read. */
export function read<From, To>(asked: Asked<From>, parse: (value: From) => Outcome<To>): Asked<To> {
  const { outcome, requests } = asked;
  return { outcome: outcome.ok ? parse(outcome.value) : outcome, requests };
}
