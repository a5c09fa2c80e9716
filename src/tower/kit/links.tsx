/** Small parts of text: names, links, rows of choices, severities, and why a metric was not tested. */

import { answerWords, type Streak } from "../../health/refusals.ts";
import type { NotTestedReason } from "../../rules/verdict.ts";
import { formatCount } from "../format.ts";
import type { Child } from "../jsx/jsx-runtime.ts";
import { Glyph } from "./glyph.tsx";

/**
 * Text that a site, a repository or a provider wrote. `hx-ignore` keeps htmx out of it, and `bdi` keeps its
 * writing direction to itself, so that an override character cannot turn round the words beside it.
 */

export function Told({ children, class: name }: { readonly children: string; readonly class?: string }) {
  return (
    <bdi hx-ignore class={name}>
      {children}
    </bdi>
  );
}

/** An identifier, path, version or commit that came from outside, in the fixed-width face. */
export function Code({ children }: { readonly children: string }) {
  return <Told class="mono wrap">{children}</Told>;
}

/** A link to an address that a site gave. An address that is no plain web address stays text. */
export function OutsideLink({ address }: { readonly address: string }) {
  if (!/^https?:\/\//i.test(address)) return <Told class="wrap">{address}</Told>;
  return (
    <a class="wrap" href={address} rel="noreferrer noopener">
      <Told>{address.replace(/^https?:\/\//i, "").replace(/\/$/, "")}</Told>
    </a>
  );
}

/** Leads to the place of the manual that a page needs. */
export function HelpLink(props: { readonly to: string; readonly about: string }) {
  return (
    <p class="note">
      <a href={props.to}>Help: {props.about}</a>
    </p>
  );
}

/** Things one behind the other, such as "a, b, c". */
export function joined(things: readonly Child[], by: Child = ", "): Child {
  return things.flatMap((thing, place) => (place === 0 ? [thing] : [by, thing]));
}

/** Words for a reader who does not see the page. */
export function Unseen({ children }: { readonly children: Child }) {
  return <span class="vh">{children}</span>;
}

/** A link that looks like a button. */
export function Go({ to, words, primary = false }: { to: string; words: Child; primary?: boolean }) {
  return (
    <a class={primary ? "btn primary" : "btn"} href={to}>
      {words}
    </a>
  );
}

/** One choice of a row. */
export interface Choice {
  readonly href: string;
  readonly words: Child;
  /** Whether it is what the page shows now. */
  readonly chosen: boolean;
  /** What a screen reader says in place of the words. */
  readonly label?: string;
}

function Links({ class: name, label, choices }: ChoicesProps & { readonly class: string }) {
  return (
    <nav class={name} aria-label={label}>
      {choices.map(({ href, words, chosen, label: spoken }) => (
        <a href={href} aria-current={chosen ? "true" : undefined} aria-label={spoken}>
          {words}
        </a>
      ))}
    </nav>
  );
}

interface ChoicesProps {
  readonly label: string;
  readonly choices: readonly Choice[];
}

/** Filters: each link puts one on or off. */
export function Chips(props: ChoicesProps) {
  return <Links class="chips" {...props} />;
}

/** The filters that are on, each a chip that takes itself off; nothing when none is. */
export function FiltersOn(props: {
  readonly filters: readonly {
    readonly name: string;
    readonly value: string | null | undefined;
    /** The view without it. */
    readonly href: string;
  }[];
}) {
  const on = props.filters.filter(({ value }) => value !== undefined && value !== null);
  if (on.length === 0) return null;
  return (
    <Chips
      label="Filters that are on"
      choices={on.map(({ name, value, href }) => ({
        href,
        chosen: true,
        label: `Remove the filter ${name}: ${value}`,
        words: (
          <>
            {name}: <Told class="cut">{String(value)}</Told> <b aria-hidden="true">×</b>
          </>
        ),
      }))}
    />
  );
}

/** One of a few ranges. */
export function Segments(props: ChoicesProps) {
  return <Links class="seg" {...props} />;
}

/** To what lies before and after; a side without an address is shown as an end, or left out where `bare`. */
export function Steps(props: {
  readonly earlier: string | null;
  readonly later: string | null;
  /** What is stepped over, for screen readers: " days". */
  readonly what?: string;
  readonly bare?: boolean;
}) {
  const { what = "", bare = false } = props;
  const side = (href: string | null, words: string, rel: "prev" | "next", sign: string) =>
    href === null ? (
      bare ? null : (
        <span aria-hidden="true">{sign}</span>
      )
    ) : (
      <a href={href} aria-label={`${words}${what}`} rel={rel}>
        {sign}
      </a>
    );
  return (
    <nav class="seg" aria-label="Step">
      {side(props.earlier, "Earlier", "prev", "←")}
      {side(props.later, "Later", "next", "→")}
    </nav>
  );
}

const LONGEST = 56;
/** Share of what is left of a cut name that stands before the cut. */
const HEAD_SHARE = 0.65;

/** A name from outside; a very long one is cut in its middle, where names differ least, and stands `whole` in the title. */
export function ShortName(props: {
  readonly name: string;
  readonly longest?: number;
  readonly whole?: string;
}) {
  const { name, longest = LONGEST, whole = name } = props;
  const points = [...name];
  const head = Math.ceil(longest * HEAD_SHARE);
  const shown =
    points.length <= longest
      ? name
      : `${points.slice(0, head).join("")}…${points.slice(head - longest + 1).join("")}`;
  if (shown === whole) return <Told>{name}</Told>;
  return (
    <span title={whole} hx-ignore>
      <Told>{shown}</Told>
    </span>
  );
}

/** "refused 7 times since the last good one, the latest 422 /metrics/signups/last24h". */

export function StreakWords(props: {
  readonly streak: Streak;
  /** Whether there is a good report to count from. */
  readonly since: boolean;
}) {
  const { streak, since } = props;
  return (
    <>
      refused {streak.count === 1 ? "once" : `${formatCount(streak.count)} times`}
      {since ? " since the last good one" : ""}, {streak.count === 1 ? "with" : "the latest"}{" "}
      <Told class="wrap">{answerWords(streak)}</Told>
    </>
  );
}

/** The slot of a figure without a value. It never looks like a 0; the reason stands below it when given. */

export function NotMeasured({
  reason,
  words = "Not measured",
}: {
  readonly reason?: string;
  readonly words?: string;
}) {
  return (
    <>
      <span class="nm">{words}</span>
      {reason === undefined ? null : (
        <small>
          <Told>{reason}</Told>
        </small>
      )}
    </>
  );
}

/** Why days were not tested, in words that follow a count of days. */

export const NOT_TESTED_WORDS: Readonly<Record<NotTestedReason, string>> = {
  missing_day: "a day is missing",
  provisional_day: "a day is provisional",
  excluded_day: "a day is left out",
  marked_day: "a day is marked",
  too_little_history: "too little history",
  consent_step: "consent mode changed among the compared days",
  not_a_count: "not a count",
  too_few_events: "too few events",
  failed: "the rule failed",
};

/** The severities of a flag, worst first. */

export const SEVERITIES = ["error", "warn", "info"] as const;

export type Severity = (typeof SEVERITIES)[number];

/** Open flags of a site by severity. */
export type SeverityCounts = Readonly<Record<Severity, number>>;

/** A pennant with its word. */
export function SeverityMark({ severity }: { readonly severity: Severity }) {
  return (
    <span class="sev" data-sev={severity}>
      <Glyph name={`f-${severity}`} />
      {severity}
    </span>
  );
}

/** One pennant with a count for each severity that has any; a plain 0 when none has. */
export function SeverityTally({ counts }: { readonly counts: SeverityCounts }) {
  const present = SEVERITIES.filter((severity) => counts[severity] > 0);
  if (present.length === 0) return <span class="dim">0</span>;
  return (
    <span class="sevs">
      {present.map((severity) => (
        <span class="sev" data-sev={severity} title={`${formatCount(counts[severity])} ${severity}`}>
          <Glyph name={`f-${severity}`} />
          {formatCount(counts[severity])}
          <Unseen> {severity}</Unseen>
        </span>
      ))}
    </span>
  );
}

/** The open flags by severity, and how many more are put away for a while. */
export function OpenAndSnoozed(props: { readonly counts: SeverityCounts; readonly snoozed: number }) {
  const { counts, snoozed } = props;
  return (
    <span class="row">
      <SeverityTally counts={counts} />
      {snoozed === 0 ? null : <small class="dim nowrap">{formatCount(snoozed)} snoozed</small>}
    </span>
  );
}
