/** What a threshold of the constants document may be: its default, its bounds, and the words for it. */

/** A threshold's value. */
export type ThresholdValue = number | "measured";

/** Which numbers are taken. */
export interface Bounds {
  /** The smallest, itself taken … */
  readonly least?: number;
  /** … or the number that every one must lie above. */
  readonly above?: number;
  /** The largest, itself taken. */
  readonly most: number;
  readonly whole?: true;
}

/** A key that holds a number, or one that may also say "measured". */
export interface Threshold<V extends ThresholdValue = ThresholdValue> {
  /** What holds where the document says nothing. */
  readonly default: V;
  readonly bounds: Bounds;
  /** Whether the word "measured" is taken beside numbers. */
  readonly mayBeMeasured?: boolean;
  /** A smaller number is taken, and read as this. */
  readonly readAtLeast?: number;
  /** What it is counted in, as the document says it behind the value. */
  readonly unit: string;
}

/** One that a form asks for, to tune it for a site or metric. */
export interface TunableThreshold<V extends ThresholdValue = ThresholdValue> extends Threshold<V> {
  readonly label: string;
  /** What the values are counted in, or what else is to be known. */
  readonly note: string;
}

/** Why a value is refused: what it must be. */
export function mustBe({ bounds, mayBeMeasured }: Threshold): string {
  const { least, above, most, whole } = bounds;
  const number = whole === true ? "whole number" : "number";
  const range =
    above === undefined
      ? `from ${plain(least ?? 0)} to ${plain(most)}`
      : `above ${plain(above)} and at most ${plain(most)}`;
  return `must be ${mayBeMeasured === true ? '"measured" or ' : ""}a ${number} ${range}`;
}

/** Whether a number lies within the bounds. */
export function isWithin({ least, above, most, whole }: Bounds, value: number): boolean {
  if (whole === true && !Number.isInteger(value)) return false;
  return value <= most && (above === undefined ? value >= (least ?? 0) : value > above);
}

/** A value as rules read it. */
export function asRead<V extends ThresholdValue>({ readAtLeast }: Threshold, value: V): V | number {
  return typeof value === "number" && readAtLeast !== undefined ? Math.max(readAtLeast, value) : value;
}

const decimal = new Intl.NumberFormat("en", { useGrouping: false, maximumFractionDigits: 20 });

/** Written out, however small. */
function plain(value: number): string {
  return decimal.format(value);
}
