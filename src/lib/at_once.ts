/**
 * Does `work` for every item, at most so many at once. An item is taken when its turn comes, so that memory does not grow with their
 * number. After the first that throws none is begun any more, and it is thrown once those under way are over.
 */
export async function atOnce<T>(
  items: Iterable<T>,
  most: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const iterator = items[Symbol.iterator]();
  const failures: unknown[] = [];
  const hand = async () => {
    try {
      while (failures.length === 0) {
        const next = iterator.next();
        if (next.done === true) return;
        await work(next.value);
      }
    } catch (error) {
      failures.push(error);
    }
  };
  await Promise.all(Array.from({ length: most }, hand));
  iterator.return?.();
  if (failures.length > 0) throw failures[0];
}
