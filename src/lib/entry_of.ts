/**
 * What a table says of a name that somebody else chose: `table[name]` would also find what every object has, such as `toString`, and
 * that is no entry.
 */
export function entryOf<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
