/** Which channel is told what, and whether at once. Pure. */

import { calendarDay, MINUTE_MS } from "../base/time.ts";
import { SEVERITIES, type Severity } from "../flags/flags.ts";
import type { Constants } from "../sites/constants_schema.ts";
import type { ChannelRules } from "./channel_settings.ts";
import type { Channel } from "./channels.ts";

/** Quiet hours and the daily digest by the clock of a channel's own time zone. Pure; moments are milliseconds since the epoch. */

const DAY = 1_440;

const inZone = (ms: number, timeZone: string, parts: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat("en-GB", { timeZone, ...parts }).format(ms);

/** "07:00" by the clock of a zone. */
const clockText = (ms: number, zone: string): string =>
  inZone(ms, zone, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });

/** "Fri 20 Nov, 07:00" by the clock of a zone. */
export const zonedText = (ms: number, zone: string): string =>
  `${inZone(ms, zone, { weekday: "short", day: "numeric", month: "short" }).replace(",", "")}, ${clockText(ms, zone)}`;

/** Minutes since midnight. */
function minutesOf(clock: string): number {
  const [hour = 0, minute = 0] = clock.split(":").map(Number);
  return hour * 60 + minute;
}

/** The hours of the day in which only errors are sent. */
type QuietHours = Pick<ChannelRules, "quiet" | "zone">;

/** A channel's own hours, else those of the constants document. */
export function quietHoursOf(own: QuietHours, general: Constants["notifications"]): QuietHours {
  const { quiet_from: from, quiet_until: to, time_zone: zone } = general;
  return own.quiet !== null || from === undefined || to === undefined ? own : { quiet: { from, to }, zone };
}

/** When the quiet hours that run now end; undefined while none run. Summer time is in the clock that is read. */
export function quietUntil({ quiet, zone }: QuietHours, now: number): number | undefined {
  if (quiet === null) return undefined;
  const [from, to, minute] = [minutesOf(quiet.from), minutesOf(quiet.to), minutesOf(clockText(now, zone))];
  const isQuiet = from <= to ? minute >= from && minute < to : minute >= from || minute < to;
  if (!isQuiet) return undefined;
  const end = Math.floor(now / MINUTE_MS + ((to - minute + DAY) % DAY)) * MINUTE_MS;
  // A night in which the clock changes is an hour shorter or longer.
  const off = ((to - minutesOf(clockText(end, zone)) + DAY * 1.5) % DAY) - DAY / 2;
  const until = end + off * MINUTE_MS;
  // Hours that end at a time which the clock skips end as it does so.
  return minutesOf(clockText(until, zone)) === to ? until : (nextChange(until, zone) ?? until);
}

/** When the clock of a zone changes next, as milliseconds since the epoch. */
const nextChange = (ms: number, zone: string): number | undefined =>
  Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone).getTimeZoneTransition("next")
    ?.epochMilliseconds;

/** The day whose digest is due, in the channel's own calendar, and since when; undefined before its hour, and without one. */
export function digestDue({ digest, zone }: Pick<ChannelRules, "digest" | "zone">, now: number) {
  const late = digest === null ? -1 : minutesOf(clockText(now, zone)) - minutesOf(digest);
  if (late < 0) return undefined;
  const day = new Date(calendarDay(now, zone) * DAY * MINUTE_MS).toISOString().slice(0, 10);
  return { day, dueAt: now - late * MINUTE_MS - (now % MINUTE_MS) };
}

/** A channel that is not paused, its quiet hours, and since when there is news for it. */
export interface OpenChannel extends Pick<Channel, "id" | "kind" | "rules"> {
  readonly hours: QuietHours;
  readonly since: number;
}

/** One thing that a message says. */
export interface Item {
  readonly what: "flag" | "ended" | "failing" | "recovered";
  /** The first flag of the lasting thing, or the key of the cause. */
  readonly thing: string;
  /** '' for a cause that concerns no single site. */
  readonly asset: string;
  readonly severity: Severity;
}

/** A flag that was raised since the last look, as it stands now. */
export interface Raised {
  /** The first flag of the lasting thing. */
  readonly chain: string;
  /** When it began, or began again after it had ended. */
  readonly since: number;
  /** The site that it is told under. */
  readonly site: string;
  readonly severity: Severity;
  /** It renews a flag of less severity. */
  readonly isWorse: boolean;
  /** It is open, neither snoozed nor acknowledged, and stands out of what chance gives. */
  readonly isTold: boolean;
}

/** A cause for which integrations fail, or do no longer. */
export interface CauseNews {
  readonly cause: string;
  readonly isOver: boolean;
  readonly assets: readonly string[];
  /** The channel that is itself what fails: it cannot be told. */
  readonly channel?: string | undefined;
}

export interface News {
  readonly raised: readonly Raised[];
  /** Sites of which a flag was resolved. */
  readonly resolved: readonly string[];
  readonly causes: readonly CauseNews[];
}

/** What is known of messages before. */
export interface Told {
  /** How a thing that lasts was last told to a channel, or is about to be; undefined where it never was, or its end was told since. */
  readonly last: (channel: string, thing: string) => { severity: Severity; isDelivered: boolean } | undefined;
  /** The things of a site that ended and were told, or are about to be; none while one of them lasts. */
  readonly ended: (channel: string, site: string) => readonly string[];
  readonly groupOf: (site: string) => string | null;
}

/** A message to be. */
export interface Planned {
  readonly channel: Pick<Channel, "id" | "kind">;
  readonly type: "flags.raised" | "flags.resolved" | "integrations.failing" | "integrations.recovered";
  readonly asset: string | null;
  /** Worst first; never none. */
  readonly items: readonly Item[];
  /** Until when quiet hours hold it back; undefined where it goes at once. */
  readonly heldUntil: number | undefined;
}

/** Of more sites at once, as when a network is gone, there is one message. */
export const MOST_SITES = 20;

export const severityRank = (severity: Severity): number => SEVERITIES.indexOf(severity);

/** The messages that news makes: one for each channel and site, up to `MOST_SITES`, and one for each channel and cause. */
export function planned(news: News, channels: readonly OpenChannel[], told: Told, now: number): Planned[] {
  return channels.flatMap((channel) => {
    const { id, rules, hours } = channel;
    if (rules.heartbeat) return [];
    const isOf = (site: string) => isForSite(rules, site, told.groupOf);
    const message = (type: Planned["type"], asset: string | null, items: readonly Item[]): Planned[] => {
      // Errors pass, with what else the same message says.
      const isUrgent = items.some(({ severity }) => severity === "error");
      const heldUntil = isUrgent ? undefined : quietUntil(hours, now);
      return items.length === 0 ? [] : [{ channel, type, asset, items, heldUntil }];
    };
    const bySite = (type: Planned["type"], items: readonly Item[]): Planned[] => {
      const sites = [...Map.groupBy(items, ({ asset }) => asset)];
      if (sites.length > MOST_SITES) return message(type, null, items);
      return sites.flatMap(([site, some]) => message(type, site, some));
    };
    const raised = news.raised
      .filter((one) => isOf(one.site) && isNews(one, channel, told.last(id, one.chain)?.severity))
      .toSorted((a, b) => severityRank(b.severity) - severityRank(a.severity) || a.since - b.since)
      .map(({ chain, site, severity }): Item => ({ what: "flag", thing: chain, asset: site, severity }));
    // A site that something else began on is not back to normal.
    const isCalm = (site: string) => !raised.some(({ asset }) => asset === site);
    const resolved = rules.resolved
      ? [...new Set(news.resolved)].filter((site) => isOf(site) && isCalm(site))
      : [];
    const causes = news.causes.filter(
      ({ assets, channel: own }) =>
        own !== id && rules.severity !== "error" && (isForAll(rules) || assets.some(isOf)),
    );
    return [
      ...bySite("flags.raised", raised),
      ...bySite(
        "flags.resolved",
        resolved.flatMap((asset) =>
          told.ended(id, asset).map((thing): Item => ({ what: "ended", thing, asset, severity: "info" })),
        ),
      ),
      ...causes.flatMap(({ cause, isOver }) => {
        const item = { thing: cause, asset: "", severity: "warn" } as const;
        if (!isOver) return message("integrations.failing", null, [{ what: "failing", ...item }]);
        if (!rules.resolved || told.last(id, cause)?.isDelivered !== true) return [];
        return message("integrations.recovered", null, [{ what: "recovered", ...item }]);
      }),
    ];
  });
}

/**
 * Whether a flag is news to a channel. What chance gives never is: the digest lists it; nor what began before the channel was there, and what was
 * told already, unless it got worse.
 */
function isNews(flag: Raised, { since, rules }: OpenChannel, toldAs: Severity | undefined): boolean {
  const rank = severityRank(flag.severity);
  if (!flag.isTold || rank < severityRank(rules.severity)) return false;
  if (flag.since < since && !flag.isWorse) return false;
  return toldAs === undefined || rank > severityRank(toldAs);
}

export const isForAll = ({ sites, group }: ChannelRules): boolean => sites === null && group === null;

/** Whether a channel is for a site. Tower's own problems are for channels that are for every site. */
export const isForSite = (rules: ChannelRules, site: string, groupOf: Told["groupOf"]): boolean =>
  isForAll(rules) ||
  rules.sites?.includes(site) === true ||
  (rules.group !== null && groupOf(site) === rules.group);

/** What was tried for so long is given up. */
export const GIVEN_UP_MS = 24 * 3_600_000;

export const LONGEST_WAIT_MS = 3_600_000;

/** How long to wait after so many failed attempts, in milliseconds; `chance` from 0 to 1 spreads channels that fail together. */
export const backOff = (attempts: number, chance: number): number =>
  Math.round(Math.min(60_000 * 2 ** (attempts - 1), LONGEST_WAIT_MS) * (0.5 + chance / 2));
