import { isStorageFailure } from "../db/mod.ts";
import type { BrokenRule } from "../lib/contract.ts";
import { shortText } from "../lib/short_text.ts";
import { PROBLEMS, Problem, type ProblemCode } from "../platform/problem.ts";
import type { RefusalKind } from "./contract.ts";

/** Broken rules kept of one refusal. */
const MOST_FAULTS = 3;
/** Longest pointer or message kept, in characters: a sender may name a field as it likes. */
const LONGEST = 200;

/** Why a report was refused; undefined for an error that is no refusal. */
export function refusalOf(error: unknown): RefusalKind | undefined {
  if (error instanceof Problem) return ofProblem(error);
  return isStorageFailure(error) ? plain("storage-unavailable") : undefined;
}

function ofProblem(problem: Problem): RefusalKind {
  const { code, status, errors, detail, more } = problem;
  // How long to wait differs from one to the next, and they are still the same.
  if (code === "too-many-requests") return plain(code);
  const broken = errors ?? [{ pointer: "", rule: code, message: detail }];
  const faults = broken.slice(0, MOST_FAULTS).map(shortened);
  return { status, code, faults, more: more + broken.length - faults.length };
}

function plain(code: ProblemCode): RefusalKind {
  const { status, title } = PROBLEMS[code];
  return { status, code, faults: [{ pointer: "", rule: code, message: title }], more: 0 };
}

function shortened({ pointer, rule, message }: BrokenRule): BrokenRule {
  return { pointer: shortText(pointer, LONGEST), rule, message: shortText(message, LONGEST) };
}
