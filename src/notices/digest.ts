/** The daily digest: what needs somebody, what may be chance, what ended, or that all is well. Pure. */
import type { Notice } from "../channels/contract.ts";
import type { ChainedFlag } from "../flags/mod.ts";
import { countWords, nounFor } from "../lib/plural.ts";
import type { Cause } from "./causes.ts";
import { byWorst, causeLine, flagLine, type Ground, type ToldFlag, written } from "./compose.ts";
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
  /** Its live sites, and others that have an open warning or error. */
  readonly sites: readonly string[];
  readonly open: readonly OpenFlag[];
  readonly causes: readonly Cause[];
  /** Why not everything is watched; null where the coverage of health is complete. */
  readonly unwatched: string | null;
  /** What ended within the last day. */
  readonly ended: readonly ToldFlag[];
}

/** Those of some phrases that count anything. */
const counted = (...phrases: readonly (readonly [count: number, phrase: string])[]): string[] =>
  phrases.flatMap(([count, phrase]) => (count === 0 ? [] : [phrase]));

/** The digest of a day: that all is fine only where everything is watched and nothing is open. */
export function digestOf({ sites, open, causes, unwatched, ended }: Standing, ground: Ground): Notice {
  const { now, zone } = ground;
  const warns = open.filter(({ flag }) => flag.severity !== "info");
  const known = warns.filter(({ isPutAway }) => isPutAway);
  const pressing = byWorst(warns.filter(({ isPutAway }) => !isPutAway));
  const unsure = pressing.filter(({ isWithinChance }) => isWithinChance);
  const urgent = pressing.filter(({ isWithinChance }) => !isWithinChance);
  const infos = open.filter(({ flag, isPutAway }) => flag.severity === "info" && !isPutAway);
  const infoSites = new Set(infos.map(({ site }) => site)).size;
  const told = causes.filter(({ isTold }) => isTold);
  const hit = new Set([...urgent.map(({ site }) => site), ...told.flatMap(({ assets }) => assets)]);
  const fine = sites.filter((site) => !hit.has(site));
  const calmSites = fine.filter((one) => !warns.some(({ site }) => site === one));
  const ours = sites.length - fine.length;
  const others =
    urgent.filter(({ site }) => !sites.includes(site)).length +
    told.filter(({ assets }) => assets.length === 0).length;
  const isNew = (flag: ChainedFlag) => now - Date.parse(flag.chain.since) < DAY_MS;
  const isOld = urgent.length > 0 && told.length === 0 && !urgent.some(({ flag }) => isNew(flag));
  const all = countWords(sites.length, "site");
  const needs = counted(
    [ours, `${ours} of ${all} ${nounFor(ours, "needs", "need")} attention`],
    [others, `${countWords(others, "problem")} of Tower itself`],
    [Number(isOld), "nothing new"],
  );
  const rest = unsure.length + known.length;
  const calm =
    unwatched !== null
      ? "No site is known to need attention, but not everything is watched"
      : rest > 0
        ? `No site needs attention now, ${countWords(rest, "flag")} less urgent`
        : `All ${all} fine`;
  const subject = needs.length > 0 ? needs.join(", ") : calm;
  const lines = counted(
    [known.length, `Acknowledged or snoozed: ${countWords(known.length, "flag")}`],
    [
      infos.length,
      `Less urgent: ${countWords(infos.length, "info flag")} on ${countWords(infoSites, "site")}`,
    ],
    [
      ours * calmSites.length,
      `Fine: ${calmSites.length > MOST_NAMED ? countWords(calmSites.length, "site") : calmSites.join(", ")}`,
    ],
  );
  const flagsOf = (some: readonly ToldFlag[]) =>
    some.map(({ site, flag }) => flagLine(flag, now, isNew(flag) ? "NEW" : "", `${site}: `));
  return written(
    {
      type: "digest",
      asset: null,
      subject,
      lead: `${zonedText(now, zone)}: ${subject}`,
      sections: [
        ["NEEDS YOU", flagsOf(urgent)],
        ["INTEGRATIONS", told.map(causeLine)],
        ["MAY BE CHANCE", flagsOf(unsure)],
        [
          "RETRYING AUTOMATICALLY",
          causes.filter(({ isTold }) => !isTold).map(({ words }) => ({ text: words })),
        ],
        ["NOT EVERYTHING IS WATCHED", unwatched === null ? [] : [{ text: unwatched, path: "/health" }]],
        [
          "ENDED SINCE YESTERDAY",
          ended.map(({ site, flag }) => ({ text: `${site}: ${endedWords(flag, now)}` })),
        ],
        ["", lines.map((text) => ({ text }))],
      ],
      flags: [...urgent, ...unsure].map(({ flag }) => flag),
    },
    ground,
  );
}
