/**
 * The words of a notice: the subject is the news, then short text, then the same as HTML. Pure. What a site or a person wrote stands on one
 * line and is escaped; it never makes a header, markup or a mention.
 */

import { capital, countText, countWords, expectedText, onOneLine, shortText } from "../base/text.ts";
import { daysBetween, dayTextAt, parseUtcDay } from "../base/time.ts";
import { titleOf } from "../flags/api.ts";
import type { ChainedFlag } from "../flags/flags.ts";
import { sourceName } from "../sites/flag_titles.ts";
import { LASTING_RULES, STALE_INGEST } from "../sites/rule_catalogue.ts";
import type { Cause } from "./causes.ts";
import type { Notice } from "./channel_settings.ts";
import { clockText, severityRank, zonedText } from "./plan.ts";

/** The news of a flag in a few words, how much and against what: made of the inputs that its rule used. Pure. */

/** "Bookings down 74%" and " (29 on 22 Nov, normally about 112), since 20 Nov". */
interface Headline {
  readonly news: string;
  readonly detail: string;
}

type Told = Pick<ChainedFlag, "rule" | "source" | "metric" | "subject" | "message" | "rule_inputs">;
type Inputs = Readonly<Record<string, unknown>>;

/** What a flag says. Where its inputs say no figures, it is the flag's own message. */
function headlineOf(flag: Told, now: number): Headline {
  const inputs = flag.rule_inputs ?? {};
  const isLasting = LASTING_RULES.some((rule) => rule === flag.rule);
  const level = isLasting ? inputs : objectIn(inputs["moved"]);
  const figures = level === undefined ? countFigures(flag, inputs, now) : levelFigures(flag, level, now);
  return figures ?? { news: headlineMessageOf(flag, now), detail: "" };
}

/** "Bookings as expected again", "Nightly reports come again"; of other flags what no longer holds. */
export function endedWords(flag: Told, now: number): string {
  if (flag.rule === STALE_INGEST) return "Nightly reports come again";
  const isSeries = typeof flag.rule_inputs?.["expected"] === "number";
  return isSeries ? `${metricName(flag)} as expected again` : `No longer: ${headlineMessageOf(flag, now)}`;
}

function headlineMessageOf(flag: Told, now: number): string {
  const text = titleOf(flag, now);
  const site = `${flag.subject}: `;
  return capital(flag.rule === STALE_INGEST && text.startsWith(site) ? text.slice(site.length) : text);
}

const objectIn = (value: unknown): Inputs | undefined =>
  typeof value === "object" && value !== null ? (value as Inputs) : undefined;
const dayIn = (value: unknown) => (typeof value === "string" ? parseUtcDay(value) : undefined);

function countFigures(flag: Told, inputs: Inputs, now: number): Headline | undefined {
  const observed = objectIn(inputs["observed"]) ?? {};
  const { count } = observed;
  const { expected, omitted_days } = inputs;
  const [from, to, since] = [dayIn(observed["from"]), dayIn(observed["to"]), dayIn(inputs["since"])];
  if (typeof count !== "number" || typeof expected !== "number") return undefined;
  // A day that was left out is not a 0 that somebody counted.
  if (from === undefined || to === undefined || expected <= 0 || (count === 0 && omitted_days !== undefined))
    return undefined;
  const days = daysBetween(from, to) + 1;
  const when = `${days === 1 ? "on" : `in the ${days} days to`} ${dayTextAt(to, now)}`;
  const lasts = since === undefined || since === to ? "" : `, since ${dayTextAt(since, now)}`;
  return {
    news: `${metricName(flag)} ${changeWords(count, expected)}`,
    detail: ` (${countText(count)} ${when}, normally about ${expectedText(expected)})${lasts}`,
  };
}

/** Where a level moved, the mean of the days before says nothing. */
function levelFigures(flag: Told, { level, level_before, since, year_ago }: Inputs, now: number) {
  const day = dayIn(since);
  if (typeof level !== "number" || typeof level_before !== "number") return undefined;
  if (level_before <= 0 || day === undefined) return undefined;
  return {
    news: `${metricName(flag)} ${changeWords(level, level_before)} since ${dayTextAt(day, now)}`,
    detail: ` (about ${expectedText(level)} a day, before about ${expectedText(level_before)})${year_ago === null ? "; may be a season" : ""}`,
  };
}

function changeWords(count: number, expected: number): string {
  if (count === 0) return "down to 0";
  const ratio = count / expected;
  if (ratio >= 2) return `${countText(Math.round(ratio * 10) / 10)} times usual`;
  const percent = Math.round(Math.abs(ratio - 1) * 100);
  return `${ratio < 1 ? "down" : "up"} ${percent === 0 ? "less than 1" : percent}%`;
}

/** "Bookings", "Search console clicks"; a name that is no plain word stays as it was sent. */
function metricName({ metric, subject, source }: Told): string {
  const name = (metric ?? subject).replaceAll("_", " ");
  const of = sourceName(source);
  if (of !== undefined) return `${capital(of)} ${name}`;
  return /^[a-z ]+$/.test(name) ? capital(name) : name;
}

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
  /** Since when quiet hours held it back; undefined where they did not. */
  readonly heldSince: number | undefined;
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
  /** Why it comes now. */
  readonly why?: string | undefined;
}

/** The type of a message that says only one thing. */
const TYPES = [
  ["flags.raised", "raised"],
  ["flags.resolved", "ended"],
  ["integrations.failing", "failing"],
  ["integrations.recovered", "recovered"],
] as const;
const MARKS = { error: "ERROR", warn: "WARNING", info: "INFO" } as const;
const DAY_MS = 86_400_000;
/** So many lines of a section are written out. */
const MOST_LINES = 25;

/** The message about what happened; undefined where nothing is left of it. */
export function messageOf(said: Said, ground: Ground): Notice | undefined {
  const { ended, failing, recovered, heldSince } = said;
  const { now, zone } = ground;
  const raised = byWorst(said.raised);
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
  const why =
    heldSince === undefined
      ? undefined
      : `Held since ${clockText(heldSince, zone)}, because quiet hours ended at ${clockText(now, zone)}. Errors are never held.`;
  return written(
    {
      type: isOne ? type : "digest",
      asset: site ?? null,
      subject: isOne ? news : `News of ${about}`,
      lead: !isOne ? `${when}: news of ${about}` : site === undefined ? when : `${site}, ${when}`,
      sections: [
        ...sites.flatMap((one) => siteSections({ ...said, raised }, one, now, isOne ? "" : one)),
        [isOne ? "" : "Integrations", causes],
      ],
      flags: [...raised, ...ended].map(({ flag }) => flag),
      why,
    },
    ground,
  );
}

function raisedNews([worst, ...others]: readonly ToldFlag[], now: number): string | undefined {
  if (worst === undefined) return undefined;
  const news = shortText(headlineOf(worst.flag, now).news.replace(/\.$/, ""), 120);
  // An abbreviation stays as it is.
  const inside = /^[A-Z][a-z]/.test(news) ? news.charAt(0).toLowerCase() + news.slice(1) : news;
  return others.length === 0 ? inside : `${inside}, and ${others.length} more`;
}

function endedNews(ended: readonly ToldFlag[], now: number): string {
  const began = Math.min(...ended.map(({ flag }) => Date.parse(flag.chain.since)));
  const days = Math.round((now - began) / DAY_MS);
  return `back to normal after ${days < 1 ? "less than a day" : countWords(days, "day")}`;
}

export const byWorst = <T extends ToldFlag>(flags: readonly T[]): T[] =>
  flags.toSorted(
    (a, b) =>
      severityRank(b.flag.severity) - severityRank(a.flag.severity) ||
      Date.parse(a.flag.chain.since) - Date.parse(b.flag.chain.since),
  );

function siteSections({ raised, ended, near }: Said, site: string, now: number, heading: string): Section[] {
  const isOf = (one: ToldFlag) => one.site === site;
  const change = raised.some(isOf) ? near(site) : undefined;
  const lines = [
    ...raised.filter(isOf).map(({ flag }) => flagLine(flag, now, MARKS[flag.severity])),
    ...ended
      .filter(isOf)
      .map(({ flag }) => ({ mark: "RESOLVED", text: endedWords(flag, now), path: `/flags/${flag.id}` })),
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

export function flagLine(flag: ChainedFlag, now: number, mark = "", site = ""): Line {
  const { news, detail } = headlineOf(flag, now);
  return { mark, text: `${site}${shortText(news, 240)}${detail}`, path: `/flags/${flag.id}` };
}

/** Writes a message out, once as text and once as HTML. */
export function written({ type, asset, subject, lead, sections, flags, why }: Draft, ground: Ground): Notice {
  const { id, channel, now, publicUrl, isMail } = ground;
  const first = flags.find(({ status }) => status === "open");
  const foot = [
    ...(isMail ? ["--"] : []),
    ...(why === undefined ? [] : [why]),
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
    flags: flags.map((flag) => flagSaid(flag, publicUrl, now)),
  };
}

/** A flag as a message carries it for programs; without the published address its link is a path. */
export function flagSaid(flag: ChainedFlag, publicUrl = "", now: number): Notice["flags"][number] {
  const { id, rule, severity, kind, metric, raised_at } = flag;
  const href = `${publicUrl}/flags/${id}`;
  return { id, rule, severity, kind, metric, message: titleOf(flag, now), raised_at, href };
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
