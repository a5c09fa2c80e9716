/**
 * The words of a notice: the subject is the news, then short text, then the same as HTML. Pure. What a site or a person wrote stands on one
 * line and is escaped; it never makes a header, markup or a mention.
 */

import { capital, countWords, onOneLine, shortText } from "../base/text.ts";
import { DAY_MS } from "../base/time.ts";
import { newsOf, titleOf } from "../flags/api.ts";
import type { ChainedFlag } from "../flags/flags.ts";
import { type Cause, worstFirst } from "../integrations/attention.ts";
import { named, STALE_INGEST, seriesName } from "../sites/rule_catalogue.ts";
import type { Notice } from "./channel_settings.ts";
import { MOST_SITES, zonedText } from "./plan.ts";

type Told = Pick<ChainedFlag, "rule" | "source" | "metric" | "subject" | "message" | "rule_inputs">;

/** "Bookings as expected again", "Nightly reports come again"; of other flags what no longer holds. */
export function endedWords(flag: Told, now: number): string {
  if (flag.rule === STALE_INGEST) return "Nightly reports come again";
  const isSeries = typeof flag.rule_inputs?.["expected"] === "number";
  return isSeries ? `${metricName(flag)} as expected again` : `No longer: ${titleOf(flag, now)}`;
}

const metricName = ({ metric, subject, source }: Told): string =>
  named(seriesName(metric ?? subject, source));

/** A flag with the site that it is told under. */
export interface ToldFlag {
  readonly site: string;
  readonly flag: ChainedFlag;
}

type ToldCause = Pick<Cause, "words" | "action">;

/** What every message is composed with. */
export interface Ground {
  readonly id: string;
  readonly channel: string;
  readonly now: number;
  readonly zone: string;
  /** TOWER_PUBLIC_URL. */
  readonly publicUrl: string | undefined;
  readonly isMail: boolean;
}

/** What happened. */
interface Said {
  readonly raised: readonly ToldFlag[];
  readonly ended: readonly ToldFlag[];
  readonly failing: readonly ToldCause[];
  readonly recovered: readonly ToldCause[];
  /** The nearest change before the flags of a site; undefined where there is none. */
  readonly near: (
    site: string,
  ) => { readonly kind: string; readonly ref: string; readonly atMs: number } | undefined;
}

/** A line of a message, with a path of Tower's own. */
interface Line {
  /** "WARNING", in a column of its own. */
  readonly mark?: string;
  readonly text: string;
  readonly path?: string;
}

/** Lines under a heading; '' where they have none. */
type Section = readonly [heading: string, lines: readonly Line[]];

interface Draft extends Pick<Notice, "type" | "asset" | "subject"> {
  /** The first line of the text. */
  readonly lead: string;
  readonly sections: readonly Section[];
  readonly flags: readonly ChainedFlag[];
}

/** The type of a message that says only one thing. */
const TYPES = [
  ["flags.raised", "raised"],
  ["flags.resolved", "ended"],
  ["integrations.failing", "failing"],
  ["integrations.recovered", "recovered"],
] as const;
const MARKS = { error: "ERROR", warn: "WARNING", info: "INFO" } as const;
/** So many lines of a section are written out. */
const MOST_LINES = 25;

/** The message about what happened; undefined where nothing is left of it. */
export function messageOf(said: Said, ground: Ground): Notice | undefined {
  const { ended, failing, recovered } = said;
  const { now, zone } = ground;
  const raised = worstFirst(said.raised);
  const [type, ...others] = TYPES.flatMap(([one, of]) => (said[of].length > 0 ? [one] : []));
  if (type === undefined) return undefined;
  const sites = [...new Set([...raised, ...ended].map((one) => one.site))];
  const causes: readonly Line[] = [
    ...failing.map((cause) => ({ ...causeLine(cause), mark: "WARNING" })),
    ...recovered.map(({ words }) => ({ mark: "WORKS", text: `${words}: works again`, path: INTEGRATIONS })),
  ];
  const when = zonedText(now, zone);
  const about = [
    ...(sites.length === 0 ? [] : [countWords(sites.length, "site")]),
    ...(causes.length === 0 ? [] : [countWords(causes.length, "integration problem")]),
  ].join(" and ");
  const isOne = others.length === 0 && sites.length + causes.length === 1;
  const [site] = isOne ? sites : [];
  const news =
    site === undefined
      ? (failing[0]?.words ?? causes[0]?.text ?? "")
      : `${site}: ${raisedNews(raised, now) ?? endedNews(ended, now)}`;
  const isMany = sites.length > MOST_SITES;
  return written(
    {
      type: isOne ? type : "digest",
      asset: site ?? null,
      subject: isOne ? news : (isMany && manyNews(raised, sites.length, now)) || `News of ${about}`,
      lead: !isOne ? `${when}: news of ${about}` : site === undefined ? when : `${site}, ${when}`,
      sections: [
        ...(isMany
          ? [manySection(raised, ended, now)]
          : sites.flatMap((one) => siteSections({ ...said, raised }, one, now, isOne ? "" : one))),
        [isOne ? "" : "Integrations", causes],
      ],
      flags: [...raised, ...ended].map(({ flag }) => flag),
    },
    ground,
  );
}

const manyNews = ([worst]: readonly ToldFlag[], sites: number, now: number): string =>
  worst === undefined
    ? `${countWords(sites, "site")} back to normal`
    : `${worst.site}: ${raisedNews([worst], now)}, and ${countWords(sites - 1, "more site")}`;

const manySection = (raised: readonly ToldFlag[], ended: readonly ToldFlag[], now: number): Section => [
  "",
  [
    ...raised.map(({ site, flag }) => flagLine(flag, now, MARKS[flag.severity], `${site}: `)),
    ...ended.map((one) => endedLine(one, now, `${one.site}: `)),
  ],
];

function raisedNews([worst, ...others]: readonly ToldFlag[], now: number): string | undefined {
  if (worst === undefined) return undefined;
  // The figures stand in the text below.
  const news = shortText(newsOf(worst.flag, now).replace(/ \(.*$|\.$/, ""), 120);
  // An abbreviation stays as it is.
  const inside = /^[A-Z][a-z]/.test(news) ? news.charAt(0).toLowerCase() + news.slice(1) : news;
  return others.length === 0 ? inside : `${inside}, and ${others.length} more`;
}

function endedNews(ended: readonly ToldFlag[], now: number): string {
  const began = Math.min(...ended.map(({ flag }) => Date.parse(flag.chain.since)));
  const days = Math.round((now - began) / DAY_MS);
  return `back to normal after ${days < 1 ? "less than a day" : countWords(days, "day")}`;
}

function siteSections({ raised, ended, near }: Said, site: string, now: number, heading: string): Section[] {
  const isOf = (one: ToldFlag) => one.site === site;
  const change = raised.some(isOf) ? near(site) : undefined;
  const lines = [
    ...raised.filter(isOf).map(({ flag }) => flagLine(flag, now, MARKS[flag.severity])),
    ...ended.filter(isOf).map((one) => endedLine(one, now)),
  ];
  if (change === undefined) return [[heading, lines]];
  const what = `${capital(change.kind)} ${shortText(change.ref, 80)}, ${zonedText(change.atMs, "UTC")} UTC`;
  return [
    [heading, lines],
    ["", [{ text: `Nearest change: ${what}. Correlation only.` }]],
  ];
}

const INTEGRATIONS = "/integrations";
export const causeLine = ({ words, action }: ToldCause): Line => ({
  text: `${words}. ${action}`,
  path: INTEGRATIONS,
});

const endedLine = ({ flag }: ToldFlag, now: number, site = ""): Line => ({
  mark: "RESOLVED",
  text: `${site}${endedWords(flag, now)}`,
  path: `/flags/${flag.id}`,
});

export function flagLine(flag: ChainedFlag, now: number, mark = "", site = ""): Line {
  return { mark, text: `${site}${shortText(newsOf(flag, now), 320)}`, path: `/flags/${flag.id}` };
}

/** Writes a message out, once as text and once as HTML. */
export function written({ type, asset, subject, lead, sections, flags }: Draft, ground: Ground): Notice {
  const { id, channel, now, publicUrl, isMail } = ground;
  const first = flags.find(({ status }) => status === "open");
  const foot = [
    ...(isMail ? ["--"] : []),
    ...(publicUrl === undefined
      ? ["Links need the setting TOWER_PUBLIC_URL."]
      : [
          asset === null ? `Open Tower: ${publicUrl}/` : `Open the site: ${publicUrl}/sites/${asset}`,
          ...(first === undefined ? [] : [`Snooze a week: ${publicUrl}/flags/${first.id}?act=snooze`]),
          `Change what this channel sends: ${publicUrl}/settings/notices#${channel}`,
        ]),
    ...(isMail ? [`Delivery ${id}`] : []),
  ];
  const parts = sections.filter(([, lines]) => lines.length > 0).map((one) => sectionText(one, publicUrl));
  const text = [safe(lead), ...parts, foot.join("\n")].join("\n\n");
  return {
    id,
    type,
    at: new Date(now).toISOString(),
    asset,
    subject: shortText(safe(subject), 180),
    text,
    html: `<pre style="font-family: sans-serif; white-space: pre-wrap">${linked(text, publicUrl)}</pre>`,
    flags: flags.map((flag) => flagSaid(flag, publicUrl)),
  };
}

/** A flag as a message carries it for programs; without the published address its link is a path. */
export function flagSaid(flag: ChainedFlag, publicUrl = ""): Notice["flags"][number] {
  const { id, rule, severity, kind, metric, message, raised_at } = flag;
  const href = `${publicUrl}/flags/${id}`;
  return { id, rule, severity, kind, metric, message, raised_at, href };
}

function sectionText([heading, lines]: Section, publicUrl: string | undefined): string {
  const wide = Math.max(...lines.map(({ mark = "" }) => mark.length));
  const indent = heading === "" && wide === 0 ? "" : "  ";
  const more = lines.length - MOST_LINES;
  return [
    ...(heading === "" ? [] : [safe(heading)]),
    ...lines.slice(0, MOST_LINES).flatMap(({ mark = "", text, path }) => {
      const column = wide === 0 ? indent : `${indent}${mark.padEnd(wide)}  `;
      const isLinked = path !== undefined && publicUrl !== undefined;
      return [
        `${column}${safe(text)}`,
        ...(isLinked ? [`${" ".repeat(column.length)}${publicUrl}${path}`] : []),
      ];
    }),
    ...(more > 0 ? [`${indent}and ${more} more`] : []),
  ].join("\n");
}

/** Words that call everybody of a chat room. */
const CALLS = /@(?=(?:everyone|here|channel|all)\b)/giu;
const safe = (text: string): string => onOneLine(text).replace(CALLS, "\uff20");

/** A text as HTML, in which addresses of Tower's own are links. */
function linked(text: string, publicUrl: string | undefined): string {
  // With the slash: another's host may begin as Tower's does.
  const own = publicUrl === undefined ? undefined : Bun.escapeHTML(`${publicUrl.replace(/\/$/, "")}/`);
  return Bun.escapeHTML(text).replace(/https?:\/\/[^\s<]+/g, (url) =>
    own !== undefined && url.startsWith(own) ? `<a href="${url}">${url}</a>` : url,
  );
}
