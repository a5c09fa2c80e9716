/** What a line of the morning view says after the name of its site. Pure. */
import type { AnnotationKind } from "../../annotations/mod.ts";
import { dayOfNumber } from "../../lib/day_number.ts";
import { categoryInside } from "../component/category_words.ts";
import { countOf, formatDay, formatMoment } from "../format.ts";
import type { FlagChange, FlagTopic, IntegrationChange, SilenceChange, SiteChange } from "./change.ts";

const TOGETHER: Readonly<Record<FlagTopic, (flags: number) => string>> = {
  down: (flags) => `${flags} figures fell below what is expected`,
  up: (flags) => `${flags} figures rose above what is expected`,
  lasting: (flags) => `${flags} figures changed lastingly`,
  total: (flags) => `${flags} totals passed a milestone`,
  codebase: (flags) => `${flags} flags on its code`,
  machine: (flags) => `${flags} flags on the machine`,
  pull: (flags) => `${flags} flags on what is pulled`,
  issue: (flags) => `${flags} flags on issues that webmaster tools reports`,
  sent: (flags) => `${flags} flags that the site sent`,
};

/** Flags of one site that are one event: "4 figures fell below what is expected from 18 to 20 Nov". */
export function flagsWords(flags: readonly FlagChange[], now: number): string {
  const [first] = flags;
  if (first === undefined) return "";
  if (first.turn === "over") return `${countOf(flags.length, "flag")} resolved`;
  const told = `${TOGETHER[first.about](flags.length)}${daysWords(flags, now)}`;
  return first.turn === "passed" ? `${told}; that is over` : told;
}

function daysWords(flags: readonly FlagChange[], now: number): string {
  const days = flags.flatMap(({ days: judged }) => judged ?? []);
  if (days.length === 0) return "";
  const from = formatDay(dayOfNumber(Math.min(...days.map((day) => day.from))), now);
  const to = formatDay(dayOfNumber(Math.max(...days.map((day) => day.to))), now);
  return from === to ? ` on ${to}` : ` from ${from} to ${to}`;
}

/** What is said after the title of a flag that stands alone. */
export const FLAG_END: Readonly<Record<FlagChange["turn"], string>> = {
  begun: "",
  passed: "; that is over",
  over: "; resolved",
};

/** "fell silent": after a site's name, or after how many there are. */
export function silenceWords({ turn, reports }: SilenceChange): string {
  if (turn === "begun") return "fell silent";
  if (turn === "passed")
    return reports ? "fell silent and reported again" : "fell silent; nothing is expected of it now";
  return reports ? "reported again after a silence" : "silent before: nothing is expected of it now";
}

/** "Search console, daily: failing since 22 Nov 02:30, access", after the name of whom it concerns. */
export function integrationWords(
  what: string,
  { turn, category }: IntegrationChange,
  since: number,
  now: number,
): string {
  const why = categoryInside(category);
  if (turn === "begun") return `${what}: failing since ${formatMoment(since, now)}, ${why}`;
  return turn === "passed"
    ? `${what}: failed and works again, it was ${why}`
    : `${what}: works again, it was ${why}`;
}

const BECAME: Readonly<Record<SiteChange["became"], string>> = {
  added: "added",
  live: "live now",
  "pre-launch": "set back to pre-launch",
  retired: "retired",
  removed: "taken out of the portfolio",
};

/** "added": after a site's name, or after how many there are. */
export const becameWords = ({ became }: SiteChange): string => BECAME[became];

const KINDS: Readonly<Record<AnnotationKind, string>> = {
  deploy: "deploy",
  "model-change": "change of a model",
  config: "change of configuration",
  incident: "incident",
  "autonomy-change": "change of autonomy",
  external: "event elsewhere",
};
const MANY: Readonly<Record<AnnotationKind, string>> = {
  deploy: "deploys",
  "model-change": "changes of models",
  config: "changes of configuration",
  incident: "incidents",
  "autonomy-change": "changes of autonomy",
  external: "events elsewhere",
};

/** "5 deploys". */
export function annotationsWords({
  kind,
  count,
}: {
  readonly kind: AnnotationKind;
  readonly count: number;
}): string {
  return countOf(count, KINDS[kind], MANY[kind]);
}
