/** What a nightly report says otherwise than the revision before it. Pure. */

import type { Pulse } from "./pulse_contract.ts";

/** One figure that differs; undefined where a side does not have it. */
export interface FigureChange {
  /** A metric's name with the figure, `signups last24h`, or another field of the report. */
  readonly name: string;
  readonly before: number | undefined;
  readonly after: number | undefined;
}

/** A list of names that differs. */
export interface NamesChange {
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

export interface PulseDifference {
  readonly metrics: readonly FigureChange[];
  /** Negative events by page. */
  readonly pages: readonly FigureChange[];
  readonly capabilities: NamesChange;
  /** Flags sent along, as "severity kind metric: message". */
  readonly flags: NamesChange;
  /** Figures that are the same in both. */
  readonly unchanged: number;
}

/** Compares two reports of one day. A metric or figure that one of them does not have is absent there, not 0. */
export function pulseDifference(before: Pulse, after: Pulse): PulseDifference {
  const metrics = compared(figuresOf(before), figuresOf(after));
  const pages = compared(pagesOf(before), pagesOf(after));
  return {
    metrics: metrics.changed,
    pages: pages.changed,
    capabilities: namesChange(before.capabilities ?? [], after.capabilities ?? []),
    flags: namesChange(flagsOf(before), flagsOf(after)),
    unchanged: metrics.unchanged + pages.unchanged,
  };
}

/** Whether the two say the same. */
export function isSame(difference: PulseDifference): boolean {
  const { metrics, pages, capabilities, flags } = difference;
  const names = [capabilities, flags].flatMap(({ added, removed }) => [...added, ...removed]);
  return metrics.length + pages.length + names.length === 0;
}

function figuresOf(report: Pulse): Map<string, number> {
  const figures = new Map<string, number>();
  for (const [metric, { last24h, avg7d, total }] of Object.entries(report.metrics)) {
    if (last24h !== undefined) figures.set(`${metric} last24h`, last24h);
    if (avg7d !== undefined) figures.set(`${metric} avg7d`, avg7d);
    if (total !== undefined) figures.set(`${metric} total`, total);
  }
  return figures;
}

/** Counts by page; a page that is named twice counts together. */
function pagesOf(report: Pulse): Map<string, number> {
  const pages = new Map<string, number>();
  for (const { page, count } of report.negativeByPage ?? []) pages.set(page, (pages.get(page) ?? 0) + count);
  return pages;
}

function flagsOf(report: Pulse): string[] {
  return (report.flags ?? []).map(
    ({ severity, kind, metric, msg }) =>
      `${severity} ${kind}${metric === undefined ? "" : ` ${metric}`}: ${msg}`,
  );
}

function compared(
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
): { readonly changed: FigureChange[]; readonly unchanged: number } {
  const names = [...new Set([...before.keys(), ...after.keys()])].sort();
  const changed = names
    .map((name) => ({ name, before: before.get(name), after: after.get(name) }))
    .filter((figure) => figure.before !== figure.after);
  return { changed, unchanged: names.length - changed.length };
}

function namesChange(before: readonly string[], after: readonly string[]): NamesChange {
  const [was, is] = [new Set(before), new Set(after)];
  return { added: [...is.difference(was)], removed: [...was.difference(is)] };
}
