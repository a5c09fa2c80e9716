import { expositionOf, type Figure } from "./exposition.ts";
import type { Figures } from "./figures.ts";
import { onceLoaded } from "./once_loaded.ts";

/** The service's own figures for `/metrics`. */
export interface Metrics {
  observe(listener: string, status: number, seconds: number): void;
  /** Loads what counts; what came before is counted then. */
  load(): Promise<void>;
  text(): Promise<string>;
}

/** Counted things that are kept until they can be counted. */
const MOST_EARLY = 1_000;

/**
 * The figures of one service: what it counts, and what `read` tells when it is asked. What counts takes a tenth of a start to load, and
 * nothing that a start answers needs it: until it is loaded, which the first scrape does at the latest, what happens is kept.
 */
export function createMetrics(read: () => Iterable<Figure>): Metrics {
  let figures: Figures | undefined;
  const early: ((to: Figures) => void)[] = [];
  const load = onceLoaded(async () => {
    const { makeFigures } = await import("./figures.ts");
    const made = makeFigures();
    for (const count of early.splice(0)) count(made);
    figures = made;
    return made;
  });
  return {
    observe: (listener, status, seconds) => {
      if (figures !== undefined) figures.observe(listener, status, seconds);
      else if (early.push((to) => to.observe(listener, status, seconds)) === MOST_EARLY) {
        load().catch(() => undefined);
      }
    },
    load: async () => void (await load()),
    text: async () => `${expositionOf(read())}${await (await load()).text()}`,
  };
}
