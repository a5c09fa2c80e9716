import { Empty } from "../component/empty.tsx";
import { formatDate } from "../format.ts";
import { paths } from "../paths.ts";
import { listHref, NARROWINGS } from "./query.ts";
import type { InboxView } from "./view.ts";

/** Why a list of flags is empty, and what to do next. An empty list is an all-clear only when rules could run. */
export function NoFlags({ view, now }: { readonly view: InboxView; readonly now: number }) {
  const { query, place, whyEmpty } = view;
  const narrowed = NARROWINGS.some((name) => query[name] !== undefined);
  if (narrowed) {
    return (
      <Empty alone heading="No flag matches">
        <p>No {query.status} flag has all of these filters at once.</p>
        <a class="btn" href={listHref(place, { status: query.status, sort: query.sort, page: 1 })}>
          Remove the filters
        </a>
      </Empty>
    );
  }
  if (query.status === "snoozed") {
    return (
      <Empty alone heading="No flag is snoozed">
        <p>A snoozed flag waits here and returns by itself on its date.</p>
        <a class="btn" href={place.base}>
          Open flags
        </a>
      </Empty>
    );
  }
  if (query.status === "resolved" && whyEmpty?.state !== "no_sites" && whyEmpty?.state !== "waiting") {
    return (
      <Empty alone heading="No flag is resolved yet">
        <p>Resolved flags stay here with their evidence and everything that was done with them.</p>
        <a class="btn" href={place.base}>
          Open flags
        </a>
      </Empty>
    );
  }
  switch (whyEmpty?.state) {
    case "no_sites":
      return (
        <Empty alone heading="No site is monitored yet">
          <p>Flags come from the reports of sites and from the rules that run on them.</p>
          <a class="btn primary" href={paths.newSite}>
            Add a site
          </a>
        </Empty>
      );
    case "waiting":
      return (
        <Empty alone heading="Waiting for the first report">
          <p>
            No rule has run, because no report has arrived. This is not an all-clear. The page of a site shows
            the command that sends one.
          </p>
          <a class="btn" href={place.site === null ? paths.portfolio : paths.site(place.site)}>
            {place.site === null ? "Sites" : "Show the command"}
          </a>
        </Empty>
      );
    case "silent":
      return (
        <Empty alone heading="No report to check">
          <p>The site is not reporting, and the flag about it is snoozed. This is not an all-clear.</p>
          <a class="btn" href={listHref(place, { ...query, status: "snoozed", page: 1 })}>
            Snoozed flags
          </a>
        </Empty>
      );
    case "not_tested":
      return (
        <Empty alone heading="Not tested yet">
          <p>{whyEmpty.reason} This is not an all-clear.</p>
          <a class="btn" href={paths.portfolio}>
            Sites
          </a>
        </Empty>
      );
    case "failing":
      return (
        <Empty alone heading={whyEmpty.some ? "Some rules did not run" : "The rules did not run"}>
          <p>
            {whyEmpty.reason} An empty list is not an all-clear while rules that should have run have not.
          </p>
          <a class="btn" href={paths.health}>
            System health
          </a>
        </Empty>
      );
    default:
      return <Quiet view={view} now={now} />;
  }
}

function Quiet({ view, now }: { readonly view: InboxView; readonly now: number }) {
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
