import { Empty } from "../component/empty.tsx";
import { Mark, ANNOTATION_KINDS as WORDS } from "../component/mark.tsx";
import { Told } from "../component/text.tsx";
import { formatMoment } from "../format.ts";
import { timelineHref } from "./query.ts";
import type { TimelineView } from "./view.ts";

function nothingWords({ kind, severity }: TimelineView["query"]): string {
  if (kind === "raised" || kind === "resolved")
    return `No flag ${severity === null ? "" : `of severity ${severity} `}was ${kind} in these days`;
  return kind === null ? "No entry" : `No entry of the kind ${WORDS[kind][1]}`;
}

/** A log without entries: because nothing was ever noted, because it lies further back, or because of a filter. */
export function EmptyLog({ view, now }: { readonly view: TimelineView; readonly now: number }) {
  const { query, older } = view;
  if (older !== undefined) {
    return (
      <Empty heading="Nothing noted in these days">
        <p>
          The newest entry before them is of {formatMoment(older.atMs, now)}: <Mark kind={older.kind} />{" "}
          <Told class="wrap">{older.ref}</Told>.
        </p>
        <a class="btn" href={timelineHref({ ...query, range: "all", to: null, before: null })}>
          Show all days
        </a>
      </Empty>
    );
  }
  if (query.kind !== null && view.total > 0) {
    return (
      <Empty heading={nothingWords(query)}>
        <p>Other kinds have entries in these days.</p>
        <a class="btn" href={timelineHref({ ...query, kind: null, severity: null, before: null })}>
          Show every kind
        </a>
      </Empty>
    );
  }
  const later = query.to !== null || query.before !== null;
  return (
    <Empty heading={later ? "Nothing noted in these days or before" : "Nothing noted yet"}>
      <p>
        Deploys, configuration changes and incidents stand here and as letters under every chart, so that a
        change of the numbers can be read beside what was done. Two facts near in time, not a cause.
      </p>
      {later ? (
        <a class="btn" href={timelineHref({ ...query, to: null, before: null })}>
          Go to today
        </a>
      ) : (
        <p>Let CI post each deploy, as shown below, or add an annotation by hand above.</p>
      )}
    </Empty>
  );
}
