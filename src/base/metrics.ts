/** The service's own figures for `/metrics`, as text that Prometheus reads (text format 0.0.4). */

import { onceLoaded } from "./concurrency.ts";
import type { Figures } from "./process_metrics.ts";

/** A value, and by what it is told apart from the others of its figure. */
export type Sample = readonly [value: number, labels?: Readonly<Record<string, string>>];

/** One figure. What is not known has no sample: it is absent, and not 0. */
export interface Figure {
  readonly name: string;
  readonly type: "gauge" | "counter";
  readonly help: string;
  readonly samples: readonly Sample[];
}

/** The text of some figures, each with what it means. */
export function expositionOf(figures: Iterable<Figure>): string {
  let text = "";
  for (const { name, type, help, samples } of figures) {
    text += `# HELP ${name} ${help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}\n# TYPE ${name} ${type}\n`;
    for (const [value, labels] of samples) text += `${name}${labelsText(labels)} ${value}\n`;
  }
  return text;
}

function labelsText(labels: Sample[1]): string {
  if (labels === undefined) return "";
  let pairs = "";
  for (const name in labels) pairs += `${pairs === "" ? "" : ","}${name}="${escaped(labels[name] ?? "")}"`;
  return `{${pairs}}`;
}

function escaped(value: string): string {
  if (!/[\\"\n]/.test(value)) return value;
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}

export type Metrics = ReturnType<typeof createMetrics>;

/** Counted things that are kept until they can be counted. */
const MOST_EARLY = 1_000;

/**
 * The figures of one service: what it counts, and what `read` tells when it is asked. What counts takes a tenth of a start to load, and
 * nothing that a start answers needs it: until it is loaded, which the first scrape does at the latest, what happens is kept.
 */
export function createMetrics(read: (asset: string | undefined) => Iterable<Figure>) {
  let figures: Figures | undefined;
  const early: ((to: Figures) => void)[] = [];
  const load = onceLoaded(async () => {
    const { makeFigures } = await import("./process_metrics.ts");
    const made = makeFigures();
    for (const count of early.splice(0)) count(made);
    figures = made;
    return made;
  });
  return {
    observe: (listener: string, status: number, seconds: number): void => {
      if (figures !== undefined) figures.observe(listener, status, seconds);
      else if (early.push((to) => to.observe(listener, status, seconds)) === MOST_EARLY) {
        load().catch(() => undefined);
      }
    },
    /** Loads what counts; what came before is counted then. */
    load: async (): Promise<void> => void (await load()),
    /** With the figures of one site, or of every one (`*`), where they are asked for. */
    text: async (asset?: string) => `${expositionOf(read(asset))}${await (await load()).text()}`,
  };
}
