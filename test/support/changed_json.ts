/** JSON values to which something happened: a part lost, doubled, or of another kind. */

/** What stands in the place of a part that something happened to: nothing of it is a value that could have been told. */
const JUNK: readonly unknown[] = [
  null,
  true,
  -1,
  1.5,
  1e300,
  "",
  "x",
  "-1",
  "1.5",
  "NaN",
  [],
  {},
  [null],
  [[]],
];

const LENGTHS = [200, 512, 2_000, 2_048].flatMap((bound) => [bound, bound + 1]);
/** Texts that parsers, paths, logs and pages stumble over, and such at the bounds of what a report may hold. */
export const ODD_TEXTS: readonly string[] = [
  ...["", " ", "a\nb", "a\u0085", "\u0000", "\ud83d", "../a", "a/../b", "/a", "a\\b"],
  ...["src/**/*.{js,ts}", "**/../x", "/x/**", "2026-03-01", "2026-02-30T00:00:00Z"],
  ...["2026-03-01T04:00:00Z", "no spaces", "warn", "fatal"],
  ...["0".repeat(39), "0".repeat(40), "0".repeat(41), "ABCDEFabcdef".padEnd(40, "0"), `${"0".repeat(39)}g`],
  ...LENGTHS.flatMap((length) => ["x".repeat(length), "😀".repeat(length)]),
];
export const ODD_NUMBERS: readonly number[] = [0, 0.5, 1, 2, 100, 100.01, -0.1, 2 ** 53 - 1, 2 ** 53];

/** The names and places that lead to a part. */
export type Path = readonly (string | number)[];

/** Where a value's parts are, itself left out. */
export function pathsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) => {
    const at = [...path, Array.isArray(value) ? Number(key) : key];
    return [at, ...pathsOf(part, at)];
  });
}

/** The part that is there. */
export const valueAt = (body: unknown, path: Path): unknown =>
  path.reduce((at, key) => (at as Record<string | number, unknown>)[key], body);

/** What happens to a part. */
export type Change =
  | { readonly kind: "lost" }
  | { readonly kind: "doubled" }
  | { readonly kind: "other"; readonly value: unknown };
export const CHANGES: readonly Change[] = [
  { kind: "lost" },
  { kind: "doubled" },
  ...JUNK.map((value) => ({ kind: "other" as const, value })),
];
/** A copy in which one thing happened to one part. */
export function changed(body: unknown, path: Path, { kind, ...to }: Change): unknown {
  const copy = structuredClone(body);
  let owner = copy as Record<string | number, unknown>;
  for (const key of path.slice(0, -1)) owner = owner[key] as Record<string | number, unknown>;
  const key = path.at(-1) ?? "";
  if (kind === "other") owner[key] = "value" in to ? to.value : null;
  else if (Array.isArray(owner))
    owner.splice(Number(key), kind === "lost" ? 1 : 0, ...(kind === "lost" ? [] : [owner[Number(key)]]));
  else if (kind === "lost") delete owner[key];
  else owner[`${key}Again`] = owner[key];
  return copy;
}
