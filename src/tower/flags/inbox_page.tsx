/** The page around a list of flags: counts, filters, the opened flag beside it, and the outcome of the last act. */

import { capital, countWords as countOf } from "../../base/text.ts";
import { newsOf, titleOf } from "../../flags/api.ts";
import { type ChainedFlag, type FlagRow, isSnoozed } from "../../flags/flags.ts";
import { MOST_COUNTED, openIn } from "../../flags/inbox.ts";
import { siteOf } from "../../integrations/attention.ts";
import { formatCount, formatDate } from "../format.ts";
import type { Child } from "../jsx/jsx-runtime.ts";
import { Filters } from "../kit/address.tsx";
import { Choice, SearchForm } from "../kit/field.tsx";
import { Glyph } from "../kit/glyph.tsx";
import { here } from "../kit/here.ts";
import { Chips, Go, joined, Told, Unseen } from "../kit/links.tsx";
import { Empty, Pager } from "../kit/list.tsx";
import { Age, Marked } from "../kit/proof.tsx";
import { SilentNote, type SiteHead, SiteHeader, siteTitle } from "../kit/site_state.tsx";
import { MonitoringNotice, readingWord } from "../kit/words.tsx";
import { Page } from "../layout.tsx";
import { paths } from "../paths.ts";
import { type ArticleProps, FlagArticle } from "./article.tsx";
import {
  BULK_FORM,
  bulkHref,
  flagHref,
  type InboxView,
  inboxAddress,
  listHref,
  NARROWINGS,
  type Narrowing,
  STATUSES,
} from "./inbox.ts";
import { type Outcome, outcomeWords } from "./outcome.ts";

/** The list of flags with its boxes and bulk acts, and what stands in its place where it is empty. */

/** What stands in the place of an empty list. */
function NoFlags({ view }: { view: InboxView }) {
  const { now } = here();
  const [heading, words, to, action] = emptyWords(view, now);
  return (
    <Empty alone heading={heading}>
      <p>{words}</p>
      {to === undefined ? null : <Go to={to} words={action} primary={to === paths.newSite} />}
    </Empty>
  );
}

/** A heading, why the list is empty, and one way on where there is one. */
function emptyWords(
  { query, place, whyEmpty, tally }: InboxView,
  now: number,
): readonly [heading: string, words: string, to?: string, action?: string] {
  const { status } = query;
  const sites = [paths.portfolio, "Sites"] as const;
  const snoozed = listHref(place, { ...query, status: "snoozed", page: 1 });
  if (NARROWINGS.some((name) => query[name] !== undefined)) {
    const all = listHref(place, { status, page: 1 });
    return [
      "No matching flags",
      `No ${status} flag matches all of these filters.`,
      all,
      "Remove the filters",
    ];
  }
  if (status === "snoozed")
    return ["No snoozed flags", "Snoozed flags wait here until their date.", place.base, "Open flags"];
  if (status === "resolved" && whyEmpty?.state !== "no_sites" && whyEmpty?.state !== "waiting")
    return [
      "No resolved flags yet",
      "Resolved flags stay here with their history.",
      place.base,
      "Open flags",
    ];
  switch (whyEmpty?.state) {
    case "no_sites":
      return ["No sites yet", "Add a site to get flags about its numbers.", paths.newSite, "Add a site"];
    case "waiting":
      return [
        "Waiting for the first report",
        "Nothing has been checked yet. This is not an all-clear. A site's page shows the command to send one.",
        ...(place.site === null ? sites : ([paths.site(place.site), "Show the command"] as const)),
      ];
    case "not_tested":
      return ["Not tested yet", `${whyEmpty.reason} This is not an all-clear.`, ...sites];
    case "failing":
      return [
        "The rules did not run",
        `${whyEmpty.reason ?? ""} This is not an all-clear.`,
        paths.health,
        "System health",
      ];
    default: {
      const words = whyEmpty?.notTested ?? "No rule has a flag open.";
      if (tally.snoozed === 0 || tally.nextReturn === null) return ["No open flags", words];
      const returns = `${tally.snoozed} snoozed, the next returns ${formatDate(tally.nextReturn, now)}`;
      return ["No open flags", words, snoozed, returns];
    }
  }
}

/** The list with its boxes and the acts on what is ticked: one plain form. */
function FlagsForm(props: { readonly view: InboxView; readonly current?: string | undefined }) {
  const { view } = props;
  const action = bulkHref(view.place, view.query, props.current);
  return (
    <section aria-label="Flags">
      <form
        id={BULK_FORM}
        method="post"
        action={action}
        hx-post={action}
        hx-target="#flags-list"
        hx-swap="outerMorph"
        autocomplete="off"
        tabindex={-1}
        data-acting
      >
        {view.query.status === "resolved" ? null : <BulkBar view={view} />}
        <FlagsList {...props} />
      </form>
    </section>
  );
}

function BulkBar({ view }: { view: InboxView }) {
  const snoozed = view.query.status === "snoozed";
  return (
    <div class="bulk" role="group" aria-label="Bulk actions">
      <button class="btn" type="button" data-pick-all data-scripted hidden>
        Select all
      </button>
      <span data-ticked />
      <button class="btn" name="act" value="acknowledge" data-bulk="a">
        Acknowledge
      </button>
      <button class="btn" name="act" value="unacknowledge" data-bulk="u">
        Undo acknowledge
      </button>
      {snoozed ? (
        <button class="btn" name="act" value="wake" data-bulk="s">
          Unsnooze
        </button>
      ) : (
        <span class="pair">
          <select name="days" aria-label="Snooze for">
            <option value="1">1 day</option>
            <option value="3">3 days</option>
            <option value="7" selected>
              1 week
            </option>
            <option value="30">30 days</option>
          </select>
          <button class="btn" name="act" value="snooze" data-bulk="s">
            Snooze
          </button>
        </span>
      )}
      <details class="sure">
        <summary class="btn">Resolve</summary>
        <div class="stack tight">
          <small>A later reading can raise new flags.</small>
          <button class="btn" name="act" value="resolve">
            Resolve selected
          </button>
        </div>
      </details>
    </div>
  );
}

/** The list alone, as an act is answered. */
function FlagsList(props: {
  readonly view: InboxView;
  readonly current?: string | undefined;
  readonly swap?: boolean;
}) {
  const { view, current } = props;
  const { query, place, rows, paging } = view;
  return (
    <div id="flags-list" class="stack tight" hx-swap-oob={props.swap === true ? "outerMorph" : undefined}>
      {rows.length === 0 ? (
        <NoFlags view={view} />
      ) : (
        <ul class="list picks">
          {rows.map((row) => (
            <Item row={row} view={view} current={row.id === current} />
          ))}
        </ul>
      )}
      <Pager paging={paging} what="flags" href={(page) => listHref(place, { ...query, page })} />
    </div>
  );
}

function Item({ row, view, current }: { row: ChainedFlag; view: InboxView; current: boolean }) {
  const { now } = here();
  const { query, place } = view;
  const found = place.site === null ? query : { ...query, asset: place.site };
  const href = flagHref(row.id, found);
  const site = siteOf(row);
  const until = isSnoozed(row, now) ? Date.parse(row.snoozed_until ?? "") : undefined;
  const since = Date.parse(row.chain.since);
  // What was done with a flag, as short words after its site.
  const words: Child[] = [
    site === place.site ? null : <Told class="site">{site}</Told>,
    row.chain.reports === 1
      ? null
      : `first raised ${formatDate(since, now)}, ${countOf(row.chain.reports, readingWord(row))}`,
    view.chance.get(row.id)?.standsOut === null ? "within what chance gives" : null,
    row.acked_by === null ? null : ["acknowledged by ", <Told>{row.acked_by}</Told>],
    until === undefined ? null : `returns ${formatDate(until, now)}`,
    row.incident === null ? null : "incident",
    row.hypothesis === null ? null : "hypothesis",
    row.resolution === null ? null : `resolved: ${row.resolution.replaceAll("_", " ")}`,
  ].filter((child) => child !== null);
  return (
    <li id={`row-${row.id}`} class={row.acked_at === null && row.status === "open" ? undefined : "read"}>
      {query.status === "resolved" ? null : (
        <label class="tick">
          <Unseen>
            Select: <Told>{newsOf(row, now)}</Told>
          </Unseen>
          <input type="checkbox" id={`pick-${row.id}`} name="flag" value={row.id} />
        </label>
      )}
      <a
        id={`open-${row.id}`}
        data-row
        data-sev={row.severity}
        href={href}
        aria-current={current ? "true" : undefined}
        hx-get={href}
        hx-target="#inbox"
        hx-select="#inbox"
        hx-swap="outerMorph"
        hx-push-url="true"
      >
        <Glyph name={`f-${row.severity}`} />
        <b>
          <Unseen>{row.severity}: </Unseen>
          <Told>{newsOf(row, now)}</Told>
        </b>
        <small>
          <Age at={row.resolved_at === null ? since : Date.parse(row.resolved_at)} />
        </small>
        <small>{joined(words, " · ")}</small>
      </a>
    </li>
  );
}

const STATUS_WORDS = { open: "Open", snoozed: "Snoozed", resolved: "Resolved" } as const;

/** Names of the filters as chips and fields say them. */
const NARROWING_WORDS: Readonly<Record<Narrowing, string>> = {
  q: "Search",
  severity: "Severity",
  kind: "Kind",
  rule: "Rule",
  asset: "Site",
};

/** Open flags in words, for the heading. */
function tallyWords({ tally, place }: Pick<InboxView, "tally" | "place">, now: number): string {
  const { open, sites, snoozed, nextReturn } = tally;
  const all = openIn(tally);
  const where = place.site === null && all > 0 ? ` on ${countOf(sites, "site")}` : "";
  const parts = (["error", "warn", "info"] as const)
    .filter((severity) => open[severity] > 0)
    .map((severity) => `${formatCount(open[severity])} ${severity}`);
  const detail = parts.length === 0 ? "" : `: ${parts.join(", ")}`;
  const away =
    snoozed === 0 || nextReturn === null
      ? ""
      : ` ${formatCount(snoozed)} snoozed; the next returns ${formatDate(nextReturn, now)}.`;
  return `${formatCount(all)} open${where}${detail}.${away}`;
}

/** What the browser's tab says: how many errors are open. */
function inboxTitle({ query, tally, whyEmpty }: Pick<InboxView, "query" | "tally" | "whyEmpty">): string {
  if (query.status !== "open") return `${capital(query.status)} flags`;
  if (whyEmpty?.state === "failing") return "Rules did not run";
  const { error, warn, info } = tally.open;
  if (error > 0) return `${countOf(error, "error flag")} open`;
  return warn + info === 0 ? "No open flags" : "Flags";
}

/** The counts in words, the statuses and the filters. `swap` marks it for an answer that brings it along. */
function FlagsHead({ view, chance, swap }: { view: InboxView; chance?: string | undefined; swap?: boolean }) {
  const { now } = here();
  const { query, place, counts } = view;
  return (
    <div id="flags-head" hx-swap-oob={swap === true ? "outerMorph" : undefined}>
      <MonitoringNotice failures={view.unwatched} />
      <p>
        {tallyWords(view, now)} {chance === undefined ? null : <Marked>{chance}</Marked>}
      </p>
      <Chips
        label="Status"
        choices={STATUSES.map((status) => ({
          href: listHref(place, { ...query, status, page: 1 }),
          chosen: status === query.status,
          words: (
            <>
              {STATUS_WORDS[status]}{" "}
              <b>
                {formatCount(counts[status])}
                {counts[status] >= MOST_COUNTED ? "+" : ""}
              </b>
            </>
          ),
        }))}
      />
      <Filters
        path={place.base}
        address={inboxAddress}
        query={place.site === null ? query : { ...query, asset: undefined }}
        words={NARROWING_WORDS}
      />
    </div>
  );
}

/** Choosing filters. It stands outside what refreshes, so that a half-made choice stays. */
function FilterForm({ view: { query, place, choices } }: { view: InboxView }) {
  const withOwn = (values: readonly string[], own: string | undefined) =>
    own === undefined || values.includes(own) ? values : [own, ...values];
  const fields: readonly (readonly [Narrowing, readonly string[]])[] = [
    ["severity", ["error", "warn", "info"]],
    ["kind", ["anomaly", "opportunity", "milestone"]],
    ["rule", withOwn(choices.rules, query.rule)],
    ...(place.site === null ? ([["asset", withOwn(choices.assets, query.asset)]] as const) : []),
  ];
  return (
    <details class="as-filter" id="flags-filter">
      <summary class="btn">Filter</summary>
      <form method="get" action={place.base} class="fields">
        <input type="hidden" name="status" value={query.status} />
        {query.q === undefined ? null : <input type="hidden" name="q" value={query.q} />}
        {fields.map(([name, values]) => (
          <div class="field">
            <label for={`filter-${name}`}>{NARROWING_WORDS[name]}</label>
            <Choice
              id={`filter-${name}`}
              name={name}
              choices={[["", "any"], ...values.map((value) => [value, value] as const)]}
              chosen={query[name] ?? ""}
            />
          </div>
        ))}
        <div class="field">
          <button class="btn primary">Apply</button>
        </div>
      </form>
    </details>
  );
}

function OutcomeBar({ outcome, swap }: { outcome: Outcome | null; swap?: boolean }) {
  const { now } = here();
  return (
    <div id="flags-told" role="status" data-still hx-swap-oob={swap === true ? "outerMorph" : undefined}>
      {outcome === null ? null : (
        <div class="told">
          <p>
            {outcomeWords(outcome)}
            {outcome.only === undefined ? null : (
              <small>
                <Told>{outcome.only.asset}</Told>: <Told>{titleOf(outcome.only, now)}</Told>
              </small>
            )}
          </p>
        </div>
      )}
    </div>
  );
}

interface FlagsPageProps {
  readonly view: InboxView;
  /** The site whose tab it is; undefined for the inbox of all sites. */
  readonly site?: SiteHead | undefined;
  /** The opened flag, beside the list on a wide screen and in its place on a phone. */
  readonly opened?: ArticleProps | undefined;
  /** How many flags chance alone would raise, as a sentence. */
  readonly chance?: string | undefined;
  /** What the last act did. */
  readonly outcome?: Outcome | null;
}

/** The inbox, or the tab of a site. */
export function FlagsPage(props: FlagsPageProps) {
  const { now } = here();
  const { view, site, opened, outcome = null } = props;
  const title = inboxTitle(view);
  const about =
    site !== undefined
      ? siteTitle(site)
      : opened === undefined
        ? undefined
        : openedWords(opened.flag.row, now);
  return (
    <Page
      title={about === undefined ? title : `${about} · ${title}`}
      current={site === undefined ? "flags" : "sites"}
    >
      {site === undefined ? (
        <div class="head">
          <h1>Flags</h1>
        </div>
      ) : (
        <>
          <SiteHeader site={site} current="flags" />
          <SilentNote site={site} />
        </>
      )}
      <div class="flags-top">
        <FlagsHead view={view} chance={props.chance} />
        <SearchForm
          action={view.place.base}
          words="Search flags"
          value={view.query.q ?? ""}
          keep={inboxAddress.search({ ...view.query, q: undefined, page: 1 })}
        />
        <FilterForm view={view} />
      </div>
      <div id="inbox" class={opened === undefined ? "inbox shut" : "inbox open"}>
        <FlagsForm view={view} current={opened?.flag.row.id} />
        {opened === undefined ? null : <FlagArticle {...opened} />}
      </div>
      <OutcomeBar outcome={outcome} />
    </Page>
  );
}

/**
 * What an answer to htmx brings: the list with its heading, the opened flag when it was acted on, and what the act did.
 */
export function FlagsParts(
  props: Omit<FlagsPageProps, "shell"> & {
    /** The flag that stands open beside the list, which is marked there. */
    readonly current: FlagRow | undefined;
    /** What htmx asked for; the other parts are brought along. */
    readonly asked: "flag" | "list";
  },
) {
  const { now } = here();
  const { view, opened, outcome = null, current, asked } = props;
  const title = inboxTitle(view);
  return (
    <>
      <title>{`${current === undefined ? title : `${openedWords(current, now)} · ${title}`} – Tower`}</title>
      {opened === undefined ? null : <FlagArticle {...opened} swap={asked === "list"} />}
      <FlagsList view={view} current={current?.id} swap={asked === "flag"} />
      <FlagsHead view={view} chance={props.chance} swap />
      <OutcomeBar outcome={outcome} swap />
    </>
  );
}

/** An opened flag in the name of its page: what it says, and whose it is. */
function openedWords(row: FlagRow, now: number): string {
  return `${shorten(titleOf(row, now))} · ${row.asset}`;
}

const MOST_TITLE = 60;

function shorten(words: string): string {
  const letters = [...words];
  return letters.length <= MOST_TITLE ? words : `${letters.slice(0, MOST_TITLE - 1).join("")}…`;
}
