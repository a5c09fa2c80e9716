/** The list of flags with its boxes and bulk acts, and what stands in its place where it is empty. */

import { countWords as countOf } from "../../base/text.ts";
import { parseInstant } from "../../base/time.ts";
import { titleOf } from "../../flags/api.ts";
import type { ChainedFlag, FlagRow } from "../../flags/flags.ts";
import { isSnoozed } from "../../flags/snoozes.ts";
import { STALE_INGEST } from "../../sites/rule_catalogue.ts";
import { formatDate } from "../format.ts";
import { chanceMarkWords } from "../kit/chance_mark.ts";
import { Empty } from "../kit/empty.tsx";
import { Glyph } from "../kit/glyph.tsx";
import { here } from "../kit/here.ts";
import { Go, Told, Unseen } from "../kit/links.tsx";
import { Pager } from "../kit/pager.tsx";
import { Age } from "../kit/proof.tsx";
import { readingWord } from "../kit/reading_words.ts";
import { paths } from "../paths.ts";
import { BULK_FORM, bulkHref, flagHref, type InboxView, listHref, NARROWINGS } from "./inbox.ts";

export function otherSiteOf({ rule, subject }: Pick<FlagRow, "rule" | "subject">): string | undefined {
  return rule === STALE_INGEST && subject !== "" ? subject : undefined;
}

/** Leads to the site that a flag on the service's own tells of. */
export function OtherSite({ site }: { site: string }) {
  return (
    <a href={paths.site(site)}>
      <Told class="wrap">{site}</Told>
    </a>
  );
}

function NoFlags({ view }: { view: InboxView }) {
  const { query, place, whyEmpty } = view;
  const narrowed = NARROWINGS.some((name) => query[name] !== undefined);
  if (narrowed) {
    return (
      <Empty alone heading="No flag matches">
        <p>No {query.status} flag has all of these filters at once.</p>
        <Go
          to={listHref(place, { status: query.status, sort: query.sort, page: 1 })}
          words="Remove the filters"
        />
      </Empty>
    );
  }
  if (query.status === "snoozed") {
    return (
      <Empty alone heading="No flag is snoozed">
        <p>A snoozed flag waits here and returns by itself on its date.</p>
        <Go to={place.base} words="Open flags" />
      </Empty>
    );
  }
  if (query.status === "resolved" && whyEmpty?.state !== "no_sites" && whyEmpty?.state !== "waiting") {
    return (
      <Empty alone heading="No flag is resolved yet">
        <p>Resolved flags stay here with their evidence and everything that was done with them.</p>
        <Go to={place.base} words="Open flags" />
      </Empty>
    );
  }
  switch (whyEmpty?.state) {
    case "no_sites":
      return (
        <Empty alone heading="No site is monitored yet">
          <p>Flags come from the reports of sites and from the rules that run on them.</p>
          <Go to={paths.newSite} words="Add a site" primary />
        </Empty>
      );
    case "waiting":
      return (
        <Empty alone heading="Waiting for the first report">
          <p>
            No rule has run, because no report has arrived. This is not an all-clear. The page of a site shows
            the command that sends one.
          </p>
          <Go
            to={place.site === null ? paths.portfolio : paths.site(place.site)}
            words={place.site === null ? "Sites" : "Show the command"}
          />
        </Empty>
      );
    case "silent":
      return (
        <Empty alone heading="No report to check">
          <p>The site is not reporting, and the flag about it is snoozed. This is not an all-clear.</p>
          <Go to={listHref(place, { ...query, status: "snoozed", page: 1 })} words="Snoozed flags" />
        </Empty>
      );
    case "not_tested":
      return (
        <Empty alone heading="Not tested yet">
          <p>{whyEmpty.reason} This is not an all-clear.</p>
          <Go to={paths.portfolio} words="Sites" />
        </Empty>
      );
    case "failing":
      return (
        <Empty alone heading={whyEmpty.some ? "Some rules did not run" : "The rules did not run"}>
          <p>
            {whyEmpty.reason} An empty list is not an all-clear while rules that should have run have not.
          </p>
          <Go to={paths.health} words="System health" />
        </Empty>
      );
    default:
      return <Quiet view={view} />;
  }
}

function Quiet({ view }: { view: InboxView }) {
  const { now } = here();
  const { tally, place, query, whyEmpty } = view;
  const notTested = whyEmpty?.state === "quiet" ? whyEmpty.notTested : undefined;
  return (
    <Empty alone heading="No open flags">
      <p>All rules that could run have run, and none of them holds a flag open. {notTested}</p>
      {tally.snoozed === 0 || tally.nextReturn === null ? null : (
        <a class="btn" href={listHref(place, { ...query, status: "snoozed", page: 1 })}>
          {tally.snoozed} snoozed, the next returns {formatDate(tally.nextReturn, now)}
        </a>
      )}
    </Empty>
  );
}

export function sourceWords(row: Pick<FlagRow, "rule" | "origin">): string {
  if (row.rule !== null) return row.rule;
  return row.origin === "provider" ? "from a provider" : "sent by the site";
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
    <div class="bulk" role="group" aria-label="Acts on the ticked flags">
      <button class="btn" type="button" data-pick-all data-scripted hidden>
        Tick all
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
          <small>A rule that still holds raises a new flag at its next run.</small>
          <button class="btn" name="act" value="resolve">
            Resolve the ticked flags
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
  const severity = row.severity;
  const other = otherSiteOf(row);
  const until = row.snoozed_until === null ? undefined : parseInstant(row.snoozed_until);
  const snoozed = isSnoozed(row, now);
  return (
    <li id={`row-${row.id}`} class={row.acked_at === null && row.status === "open" ? undefined : "read"}>
      {query.status === "resolved" ? null : (
        <label class="tick">
          <Unseen>
            Tick {severity} flag of <Told>{row.asset}</Told>
          </Unseen>
          <input type="checkbox" id={`pick-${row.id}`} name="flag" value={row.id} />
        </label>
      )}
      <a
        id={`open-${row.id}`}
        data-row
        data-sev={severity}
        href={href}
        aria-current={current ? "true" : undefined}
        hx-get={href}
        hx-target="#inbox"
        hx-select="#inbox"
        hx-swap="outerMorph"
        hx-push-url="true"
      >
        <Glyph name={`f-${severity}`} />
        <b>
          <Unseen>{severity}: </Unseen>
          <Told>{titleOf(row, now)}</Told>
        </b>
        <small>
          <Age at={parseInstant(row.resolved_at ?? row.chain.since) ?? 0} />
        </small>
        <small>
          {place.site === null ? [<Told class="site">{row.asset}</Told>, " · "] : null}
          <Told>{sourceWords(row)}</Told> · {row.kind}
          {chanceMarkWords(view.chance.get(row.id))}
          {/* What was done with a flag, as short words at the end of its line. */}
          {row.chain.reports === 1
            ? ""
            : ` · first raised ${formatDate(parseInstant(row.chain.since) ?? 0, now)}, ${countOf(row.chain.reports, readingWord(row))}`}
          {row.acked_by === null ? null : [" · acknowledged by ", <Told>{row.acked_by}</Told>]}
          {snoozed && until !== undefined ? ` · returns ${formatDate(until, now)}` : ""}
          {row.incident === null ? "" : " · incident"}
          {row.hypothesis === null ? "" : " · hypothesis"}
          {row.resolution === null ? "" : ` · resolved: ${row.resolution.replaceAll("_", " ")}`}
        </small>
      </a>
      {other === undefined ? null : (
        <small class="of">
          About <OtherSite site={other} />
        </small>
      )}
    </li>
  );
}
