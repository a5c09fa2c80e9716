import type { FigureReaders, Figures } from "./figures.ts";
import { onceLoaded } from "./once_loaded.ts";

/** The service's own figures for `/metrics`. */
export interface Metrics {
  observe(listener: string, status: number, seconds: number): void;
  /** A report of a known sender was refused. */
  countRefused(code: string): void;
  /** Loads what counts; what came before is counted then. */
  load(): Promise<void>;
  text(): Promise<string>;
}

/** Counted things that are kept until they can be counted. */
const MOST_EARLY = 1_000;

/**
 * The figures of one service. What counts them takes a tenth of a start to load, and nothing that a start answers needs it: until it
 * is loaded, which the first scrape does at the latest, what happens is kept.
 */
export function createMetrics(read: FigureReaders): Metrics {
  let figures: Figures | undefined;
  const early: ((to: Figures) => void)[] = [];
  const load = onceLoaded(async () => {
    const { makeFigures } = await import("./figures.ts");
    const made = makeFigures(read);
    for (const count of early.splice(0)) count(made);
    figures = made;
    return made;
  });
  const later = (count: (to: Figures) => void) => {
    if (early.push(count) === MOST_EARLY) load().catch(() => undefined);
  };
  return {
    observe: (listener, status, seconds) => {
      if (figures === undefined) later((to) => to.observe(listener, status, seconds));
      else figures.observe(listener, status, seconds);
    },
    countRefused: (code) => {
      if (figures === undefined) later((to) => to.countRefused(code));
      else figures.countRefused(code);
    },
    load: async () => void (await load()),
    text: async () => (await load()).text(),
  };
}
