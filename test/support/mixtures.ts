/** Mixtures of what readers look for, and what they make of each, recorded: rules meet each other here as no table of single rules has them. */

import { expect } from "bun:test";
import { brief } from "./brief.ts";

/** Numbers from 0 to below 1, the same in every run. */
export function seeded(seed: number): () => number {
  let state = Math.imul(seed, 2_654_435_761);
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** So many mixtures of some of the parts, each once, the same in every run. */
export function mixtures(parts: readonly string[], count: number, length: number, seed = 1): string[] {
  const next = seeded(seed);
  const below = (most: number) => Math.floor(next() * most);
  const made = Array.from({ length: count }, () =>
    Array.from({ length: 1 + below(length) }, () => parts[below(parts.length)] ?? "").join(""),
  );
  return [...new Set(made)];
}

/** Records what is read of each, beside the test; what is thrown by its message. */
export function recordEach<T>(given: readonly T[], read: (one: T) => unknown): void {
  const lines = given.map((one) => {
    let made: unknown;
    try {
      made = read(one);
    } catch (error) {
      made = { thrown: error instanceof Error ? error.message : error };
    }
    const said = (JSON.stringify(made) ?? "-").replaceAll(process.cwd(), "/here");
    return `${brief(JSON.stringify(one), 160)} → ${brief(said, 300)}`;
  });
  expect(lines.join("\n")).toMatchSnapshot();
}
