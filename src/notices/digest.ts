/** The daily digest: what needs somebody, what may be chance, what ended, or that all is well. */
import { listSites } from "../assets/mod.ts";
import type { Notice } from "../channels/contract.ts";
import type { ChannelRules } from "../channels/settings.ts";
import { type ChainedFlag, listFlagNews, listFlagsById, listInbox } from "../flags/mod.ts";
import { countWords, nounFor } from "../lib/plural.ts";
import { causesOf } from "./causes.ts";
import { byWorst, causeLine, flagLine, type Ground, type ToldFlag, written } from "./compose.ts";
import { type GatherDeps, groupsIn, healthIn, isPutAway, toldFlag, unsureIn } from "./gather.ts";
import { endedWords } from "./headline.ts";
import { zonedText } from "./hours.ts";
import { isSilentEnd, wasTold } from "./outbox_store.ts";
import { isForAll, isForSite } from "./plan.ts";

const DAY_MS = 86_400_000;
/** Open flags that a digest reads. */
const MOST_OPEN = 500;
/** So many sites are named as fine. */
const MOST_NAMED = 8;

/** Those for which something holds, and the others. */
const parted = <T>(all: readonly T[], holds: (one: T) => boolean): readonly [T[], T[]] => [
  all.filter(holds),
  all.filter((one) => !holds(one)),
];

/** Those of some phrases that count anything. */
const counted = (...phrases: readonly (readonly [count: number, phrase: string])[]): string[] =>
  phrases.flatMap(([count, phrase]) => (count === 0 ? [] : [phrase]));

/** The digest of a day: that all is fine only where everything is watched and nothing is open. */
export function digestOf(deps: GatherDeps, rules: ChannelRules, ground: Ground): Notice {
  const { db } = deps.store;
  const { channel, now, zone } = ground;
  const groupOf = groupsIn(db);
  const isOf = (site: string) => isForSite(rules, site, groupOf);
  const page = { sort: "worst", limit: MOST_OPEN, offset: 0, now } as const;
  const listed = (["open", "snoozed"] as const).map((status) => listInbox(db, { status }, page));
  // Those beyond may be of this channel's sites.
  const isCut = listed.some(({ length }) => length === MOST_OPEN);
  const open = listed
    .flat()
    .map(toldFlag)
    .filter(({ site }) => isOf(site));
  const troubled = new Set(open.flatMap(({ site, flag }) => (flag.severity === "info" ? [] : [site])));
  // Live ones, and others that have an open warning or error.
  const sites = listSites(db).flatMap(({ id, lifecycle }) =>
    (lifecycle === "live" || troubled.has(id)) && id !== deps.config.serviceAsset && isOf(id) ? [id] : [],
  );
  const [putAway, rest] = parted(open, ({ flag }) => isPutAway(flag, now));
  const known = putAway.filter(({ flag }) => flag.severity !== "info");
  const [infos, warns] = parted(rest, ({ flag }) => flag.severity === "info");
  const chance = unsureIn(db);
  const [unsure, urgent] = parted(byWorst(warns), ({ flag }) => chance.has(flag.id));
  const endedIds = listFlagNews(db, now - DAY_MS, now, MOST_OPEN).flatMap((one) => {
    const isNews = one.endedAt !== null && one.severity !== "info" && !isSilentEnd(one.resolution);
    return isNews ? [one.id] : [];
  });
  // What was never told by itself is no news when it ends.
  const ended = listFlagsById(db, endedIds)
    .filter(({ chain }) => wasTold(db).first(chain.first, channel) !== undefined)
    .map(toldFlag)
    .filter(({ site }) => isOf(site));

  const health = healthIn(deps, now);
  const { state, reason } = health.view.coverage;
  const unknown = state === "complete" ? null : (reason ?? "Nothing is set up yet.");
  const unwatched = isCut ? `Only the worst ${MOST_OPEN} open flags are looked through.` : unknown;
  const causes = causesOf(health, now).filter(({ assets }) => isForAll(rules) || assets.some(isOf));
  const [told, retried] = parted(causes, ({ isTold }) => isTold);

  const infoSites = new Set(infos.map(({ site }) => site)).size;
  const hit = new Set([...urgent.map(({ site }) => site), ...told.flatMap(({ assets }) => assets)]);
  const fine = sites.filter((site) => !hit.has(site));
  const calmSites = fine.filter((site) => !troubled.has(site));
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
  const lesser = unsure.length + known.length;
  const calm =
    unwatched !== null
      ? "No site is known to need attention, but not everything is watched"
      : lesser > 0
        ? `No site needs attention now, ${countWords(lesser, "flag")} less urgent`
        : sites.length === 1
          ? `${sites[0]} is fine`
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
        ["RETRYING AUTOMATICALLY", retried.map(({ words }) => ({ text: words }))],
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
