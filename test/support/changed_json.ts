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
