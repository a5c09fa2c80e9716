/** What every page needs beside its own data. A route makes it once per request. */
import { paths } from "./paths.ts";

/** The look an operator chose; `system` follows the computer. */
export type Theme = "system" | "light" | "dark";

const THEMES: readonly Theme[] = ["system", "light", "dark"];

/** Reads a theme from a cookie or a form; anything else is `system`. */
export function themeOf(text: string | undefined): Theme {
  return THEMES.find((theme) => theme === text) ?? "system";
}

/** One page of the main navigation. `key` is the letter pressed after `g`. */
export interface NavItem {
  readonly id: string;
  readonly words: string;
  readonly href: string;
  readonly key: string;
  /** A count beside the words (open flags, say); left out when undefined. */
  readonly count?: number | undefined;
  readonly countWords?: string;
}

/** The pages that exist. */
export const NAV: readonly NavItem[] = [
  { id: "sites", words: "Sites", href: paths.portfolio, key: "s" },
  { id: "flags", words: "Flags", href: paths.flags, key: "f" },
  { id: "timeline", words: "Timeline", href: paths.timeline, key: "t" },
  { id: "wall", words: "Wall", href: paths.wall, key: "w" },
  { id: "integrations", words: "Integrations", href: paths.integrations, key: "i" },
  { id: "ledger", words: "Ledger", href: paths.ledger, key: "l" },
  { id: "health", words: "Health", href: paths.health, key: "h" },
  { id: "settings", words: "Settings", href: paths.settings, key: "c" },
];

/** Addresses of the files every page loads, with their content hashes. */
export interface PageAssets {
  readonly css: string;
  readonly htmx: string;
  readonly script: string;
  readonly keys: string;
  readonly live: string;
  readonly wall: string;
  readonly days: string;
  readonly icon: string;
}

/** A thing that happened today: a report received, a job run, a report missed. */
export interface DayMark {
  readonly kind: "received" | "job" | "missed";
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly title: string;
}

/** Today in UTC, for the rule under the navigation. */
export interface DayRuleData {
  readonly marks: readonly DayMark[];
  /** The same in words, for who does not see the drawing. */
  readonly words: string;
}

/** A sentence on the outcome of the last act, shown once above the page. */
export interface Notice {
  readonly tone: "working" | "failing" | "stale";
  readonly words: string;
}

export interface Shell {
  readonly assets: PageAssets;
  readonly theme: Theme;
  readonly nav: readonly NavItem[];
  /** The signed-in operator's name; null on the pages before signing in, which show no navigation. */
  readonly operator: string | null;
  /** When the data was read, in milliseconds since the epoch. */
  readonly now: number;
  readonly version: string;
  /** The address of this page, where the theme form comes back to. */
  readonly here: string;
  /** What is answered is what a form brought: asked for by its address it would be another page. */
  readonly answersForm: boolean;
  readonly dayRule: DayRuleData | null;
  readonly notice: Notice | null;
  /** All that is shown is invented. */
  readonly isSample?: boolean;
  /** How many things should be watched and are not, `unknown` where that cannot be read; null where nobody is signed in. */
  readonly unwatched?: number | "unknown" | null;
  /** What an operator must know about the service itself, on every page for as long as it lasts. */
  readonly warnings?: readonly string[];
}
