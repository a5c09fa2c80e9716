/** The list of flags with its boxes and bulk acts, and what stands in its place where it is empty. */

import { countWords as countOf } from "../../base/text.ts";
import { parseInstant } from "../../base/time.ts";
import { newsOf } from "../../flags/api.ts";
import type { ChainedFlag } from "../../flags/flags.ts";
import { isSnoozed } from "../../flags/snoozes.ts";
import { siteOf } from "../../integrations/attention.ts";
import { formatDate } from "../format.ts";
import type { Child } from "../jsx/child.ts";
import { Empty } from "../kit/empty.tsx";
import { Glyph } from "../kit/glyph.tsx";
import { here } from "../kit/here.ts";
import { Go, Told, Unseen } from "../kit/links.tsx";
import { Pager } from "../kit/pager.tsx";
import { Age } from "../kit/proof.tsx";
import { readingWord } from "../kit/reading_words.ts";
import { paths } from "../paths.ts";
import { BULK_FORM, bulkHref, flagHref, type InboxView, listHref, NARROWINGS } from "./inbox.ts";

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
  const { status, sort } = query;
  const sites = [paths.portfolio, "Sites"] as const;
  const snoozed = listHref(place, { ...query, status: "snoozed", page: 1 });
  if (NARROWINGS.some((name) => query[name] !== undefined)) {
    const all = listHref(place, { status, sort, page: 1 });
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
    case "silent":
      return [
        "No report to check",
        "The site is not reporting; the flag about it is snoozed. This is not an all-clear.",
        snoozed,
        "Snoozed flags",
      ];
    case "not_tested":
      return ["Not tested yet", `${whyEmpty.reason} This is not an all-clear.`, ...sites];
    case "failing":
      return [
        whyEmpty.some ? "Some rules did not run" : "The rules did not run",
        `${whyEmpty.reason ?? ""} This is not an all-clear.`,
        paths.health,
        "System health",
      ];
    default: {
      const words = `All checks ran. ${whyEmpty?.notTested ?? ""}`;
      if (tally.snoozed === 0 || tally.nextReturn === null) return ["No open flags", words];
      const returns = `${tally.snoozed} snoozed, the next returns ${formatDate(tally.nextReturn, now)}`;
      return ["No open flags", words, snoozed, returns];
    }
  }
}

/** The list with its boxes and the acts on what is ticked: one plain form. */
export function FlagsForm(props: { readonly view: InboxView; readonly current?: string | undefined }) {
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
export function FlagsList(props: {
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
  const until = isSnoozed(row, now) ? parseInstant(row.snoozed_until ?? "") : undefined;
  const since = parseInstant(row.chain.since) ?? 0;
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
          <Age at={row.resolved_at === null ? since : (parseInstant(row.resolved_at) ?? 0)} />
        </small>
        <small>{words.flatMap((child, at) => (at === 0 ? [child] : [" · ", child]))}</small>
      </a>
    </li>
  );
}
