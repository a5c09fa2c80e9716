/** The daily digest: what needs somebody, what may be chance, what ended, or that all is well. Pure. */
import type { Notice } from "../channels/contract.ts";
import type { ChainedFlag } from "../flags/mod.ts";
import { countWords, nounFor } from "../lib/plural.ts";
import { isFlowRule, LASTING_RULES } from "../rules/mod.ts";
import type { Cause } from "./causes.ts";
import { byWorst, flagLine, type Ground, type Section, type ToldFlag, written } from "./compose.ts";
import { endedWords } from "./headline.ts";
import { zonedText } from "./hours.ts";

const DAY_MS = 86_400_000;
/** So many sites are named as fine. */
const MOST_NAMED = 8;

/** A flag that is open, with what became of it. */
export interface OpenFlag extends ToldFlag {
  /** Snoozed or acknowledged: somebody knows. */
  readonly isPutAway: boolean;
  readonly isWithinChance: boolean;
}

/** How everything stands that a channel is for. */
export interface Standing {
  /** Its live sites. */
  readonly sites: readonly string[];
  readonly open: readonly OpenFlag[];
  readonly causes: readonly Cause[];
  /** Why not everything is watched; null where the coverage of health is complete. */
  readonly unwatched: string | null;
  /** What ended within the last day. */
  readonly ended: readonly ToldFlag[];
}

/** The digest of a day: that all is fine only where everything is watched and nothing is open. */
export function digestOf({ sites, open, causes, unwatched, ended }: Standing, ground: Ground): Notice {
  const { now, zone } = ground;
  const warns = open.filter(({ flag }) => flag.severity !== "info");
  const known = warns.filter(({ isPutAway }) => isPutAway);
  const pressing = warns.filter(({ isPutAway }) => !isPutAway);
  const unsure = pressing.filter(({ isWithinChance }) => isWithinChance);
  const urgent = byWorst(pressing.filter((one) => !one.isWithinChance && !isSaidByLevel(one, pressing)));
  const infos = open.filter(({ flag, isPutAway }) => flag.severity === "info" && !isPutAway);
  const told = causes.filter(({ isTold }) => isTold);
  const hit = new Set([...urgent.map(({ site }) => site), ...told.flatMap(({ assets }) => assets)]);
  const fine = sites.filter((site) => !hit.has(site));
  const others = [
    ...urgent.filter(({ site }) => !sites.includes(site)),
    ...told.filter(({ assets }) => assets.length === 0),
  ];
  const isNew = (flag: ChainedFlag) => now - Date.parse(flag.chain.since) < DAY_MS;
  const ours = sites.length - fine.length;
  const needs = [
    ...(ours === 0
      ? []
      : [`${ours} of ${countWords(sites.length, "site")} ${nounFor(ours, "needs", "need")} attention`]),
    ...(others.length === 0 ? [] : [`${countWords(others.length, "problem")} of Tower itself`]),
    ...(urgent.length === 0 || told.length > 0 || urgent.some(({ flag }) => isNew(flag))
      ? []
      : ["nothing new"]),
  ];
  const rest = unsure.length + known.length;
  const calm =
    unwatched !== null
      ? "No site is known to need attention, but not everything is watched"
      : rest > 0
        ? `No site needs attention now, ${countWords(rest, "flag")} less urgent`
        : `All ${countWords(sites.length, "site")} fine`;
  const subject = needs.length > 0 ? needs.join(", ") : calm;
  const infoSites = new Set(infos.map(({ site }) => site)).size;
  const sections: Section[] = [
    {
      heading: "NEEDS YOU",
      lines: urgent.map(({ site, flag }) => flagLine(flag, now, isNew(flag) ? "NEW" : "", `${site}: `)),
    },
    {
      heading: "INTEGRATIONS",
      lines: told.map(({ words, action }) => ({ text: `${words}. ${action}`, path: "/integrations" })),
    },
    { heading: "MAY BE CHANCE", lines: unsure.map(({ site, flag }) => flagLine(flag, now, "", `${site}: `)) },
    {
      heading: "RETRYING AUTOMATICALLY",
      lines: causes.filter(({ isTold }) => !isTold).map(({ words }) => ({ text: words })),
    },
    {
      heading: "NOT EVERYTHING IS WATCHED",
      lines: unwatched === null ? [] : [{ text: unwatched, path: "/health" }],
    },
    {
      heading: "ENDED SINCE YESTERDAY",
      lines: ended.map(({ site, flag }) => ({ text: `${site}: ${endedWords(flag, now)}` })),
    },
    {
      lines: [
        [known.length, `Acknowledged or snoozed: ${countWords(known.length, "flag")}`] as const,
        [
          infos.length,
          `Less urgent: ${countWords(infos.length, "info flag")} on ${countWords(infoSites, "site")}`,
        ] as const,
        [
          ours * fine.length,
          `Fine: ${fine.length > MOST_NAMED ? countWords(fine.length, "site") : fine.join(", ")}`,
        ] as const,
      ].flatMap(([count, text]) => (count === 0 ? [] : [{ text }])),
    },
  ];
  const flags = [...urgent, ...unsure].map(({ flag }) => flag);
  return written(
    { type: "digest", asset: null, subject, lead: `${zonedText(now, zone)}: ${subject}`, sections, flags },
    ground,
  );
}

/** A count that is off says nothing beside the level of the same series that has moved. */
const isSaidByLevel = ({ site, flag }: OpenFlag, all: readonly OpenFlag[]): boolean =>
  isFlowRule(flag.rule ?? "") &&
  all.some(
    (other) =>
      LASTING_RULES.some((rule) => rule === other.flag.rule) &&
      other.site === site &&
      other.flag.metric === flag.metric &&
      other.flag.source === flag.source,
  );
