/** How often each of some names comes, those that do not come too. */
export function tallied<Name extends string>(
  names: readonly Name[],
  found: Iterable<Name>,
): Record<Name, number> {
  const counts = Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>;
  for (const name of found) counts[name] += 1;
  return counts;
}
