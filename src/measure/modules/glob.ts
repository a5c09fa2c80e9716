/**
 * Patterns of paths: `*` within a segment, `**` over segments, `{a,b}`. Matched without backtracking over more than the last star,
 * so that no pattern costs more than its length times the path's.
 */

import type { Effort } from "./effort.ts";

const MAX_ALTERNATIVES = 64;

/** The part of a pattern before its first wildcard, up to a slash; whatever matches lies below it. */
export function fixedPart(pattern: string): string {
  const wild = pattern.search(/[*?{[(!]/);
  if (wild < 0) return pattern;
  const slash = pattern.lastIndexOf("/", wild);
  return slash < 0 ? "" : pattern.slice(0, slash);
}

/** A test for paths; `effort` pays for each. */
export function globTest(pattern: string, effort?: Effort): (path: string) => boolean {
  const all = alternatives(pattern).map((one) => one.split("/"));
  return (path) => {
    const segments = path.split("/");
    return all.some((wanted) => matchList(wanted, segments, effort));
  };
}

/** Every choice of the braces, up to a bound; beyond it a brace is a star. */
function alternatives(pattern: string): string[] {
  let all = [pattern.replace(/\[[^\]]{0,100}\]|\?|[!@+]?\([^)]{0,100}\)/g, "*")];
  for (let round = 0; round < 8; round++) {
    const next = all.flatMap((one) => {
      const brace = /\{([^{}]{0,200})\}/.exec(one);
      if (brace === null) return [one];
      const [whole, inner = ""] = brace;
      const [before, after] = [one.slice(0, brace.index), one.slice(brace.index + whole.length)];
      return inner.split(",").map((choice) => before + choice + after);
    });
    if (next.length > MAX_ALTERNATIVES) break;
    all = next;
  }
  return all.map((one) => one.replace(/\{[^}]{0,200}\}/g, "*"));
}

function matchList(wanted: readonly string[], segments: readonly string[], effort?: Effort): boolean {
  let [w, s, star, mark] = [0, 0, -1, 0];
  while (s < segments.length) {
    const want = wanted[w];
    if (want === "**") {
      star = w++;
      mark = s;
    } else if (want !== undefined && matchSegment(want, segments[s] ?? "", effort)) {
      w++;
      s++;
    } else if (star >= 0) {
      w = star + 1;
      s = ++mark;
    } else return false;
  }
  while (wanted[w] === "**") w++;
  return w === wanted.length;
}

function matchSegment(want: string, segment: string, effort: Effort | undefined): boolean {
  let [w, s, star, mark] = [0, 0, -1, 0];
  let steps = 1;
  while (s < segment.length) {
    steps++;
    const unit = want.charAt(w);
    if (unit === "*") {
      star = w++;
      mark = s;
    } else if (w < want.length && unit === segment.charAt(s)) {
      w++;
      s++;
    } else if (star >= 0) {
      w = star + 1;
      s = ++mark;
    } else break;
  }
  effort?.take(steps);
  if (s < segment.length) return false;
  while (want.charAt(w) === "*") w++;
  return w === want.length;
}
