/** Waits until something holds, looking often; gives what it last saw when patience ends, for the test to compare. */
export async function until<T>(
  look: () => Promise<T>,
  holds: (seen: T) => boolean,
  patienceMs = 60_000,
): Promise<{ readonly seen: T; readonly afterMs: number }> {
  const started = performance.now();
  for (;;) {
    const seen = await look();
    const afterMs = Math.round(performance.now() - started);
    if (holds(seen) || afterMs > patienceMs) return { seen, afterMs };
    await Bun.sleep(Math.min(50, 1 + afterMs));
  }
}
