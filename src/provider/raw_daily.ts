import type { Provider } from "./contract.ts";

/** Answers that are no errors, as they came, with what was asked: plain data, so that they can be read elsewhere. */
export interface RawDaily {
  readonly provider: Provider;
  readonly property: string;
  /**
   * The days asked for, both included, as day numbers, and the time zone they are of where it is known. Webmaster tools are not asked
   * for days: `from` is 0 there.
   */
  readonly asked: { readonly from: number; readonly to: number; readonly timeZone: string | undefined };
  /** When it was asked, in milliseconds since the epoch. */
  readonly askedAt: number;
  /** Bodies of the pages, in order. */
  readonly bodies: readonly string[];
}

/** What is known when days or hours are asked for. */
export interface DailyQuestion {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** The property's time zone as it was last told. */
  readonly timeZone?: string | undefined;
}
