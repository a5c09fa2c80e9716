/** One flag: what it says, its figure, what to do, what changed around that date, how it was judged, and its history. */

import { countWords as countOf } from "../../base/text.ts";
import { parseInstant } from "../../base/time.ts";
import { titleOf } from "../../flags/api.ts";
import type { ChainedFlag } from "../../flags/flags.ts";
import { siteOf } from "../../integrations/attention.ts";
import { sourceName } from "../../sites/rule_catalogue.ts";
import type { Child } from "../jsx/child.ts";
import { chanceSentence } from "../kit/chance_mark.ts";
import { here } from "../kit/here.ts";
import { Go, SeverityMark, Told } from "../kit/links.tsx";
import { Callout } from "../kit/monitoring_words.tsx";
import { Moment, toolsUpdatedWords } from "../kit/proof.tsx";
import { readingWord } from "../kit/reading_words.ts";
import { paths } from "../paths.ts";
import { Acts, Disposition } from "./acts.tsx";
import { Figure } from "./figure.tsx";
import { flagHref, INBOX_PLACE, type InboxQuery, listHref, type OpenedFlag } from "./inbox.ts";
import { JudgedProof } from "./judged.tsx";
import { judgedWords } from "./judged_words.ts";
import { Near } from "./near.tsx";
import { type Draft, resolutionWords } from "./outcome.ts";
import { EarlierReadings, EvidenceRecord, IssueUrls, issueUrls, Past } from "./record.tsx";

export interface ArticleProps {
  readonly flag: OpenedFlag;
  readonly query: InboxQuery;
  /** Why an act was refused; the reader goes there. */
  readonly refused?: string | undefined;
  /** An act was made whose control is gone or hidden: the reader goes to the heading. */
  readonly focus?: boolean | undefined;
  readonly draft?: Draft | undefined;
  readonly opened?: string | undefined;
  readonly tuneHref?: string | undefined;
  /** Marks it for an answer that brings it along. */
  readonly swap?: boolean;
}

/** One flag. It never refreshes under its reader. */
export function FlagArticle(props: ArticleProps) {
  const { flag, query, refused } = props;
  const { row, version, history, current, near } = flag;
  const urls = issueUrls(row);
  const acts = { ...props, row, version };
  return (
    <article
      id="flag"
      aria-labelledby="flag-heading"
      data-still
      // Tells apart two states of a flag and what stands around it.
      data-stands={[version, history.record.at(-1)?.at, history.record.length, current?.id, near.length].join(
        " ",
      )}
      hx-swap-oob={props.swap === true ? "outerMorph" : undefined}
    >
      <p class="back">
        <a href={listHref(INBOX_PLACE, query)}>← All flags</a>
      </p>
      <div class="stack">
        <Summary row={row} href={flagHref(row.id, query)} focus={props.focus === true} />
        <div
          id="flag-told"
          role="status"
          tabindex={refused === undefined ? undefined : -1}
          autofocus={refused !== undefined}
        >
          {refused === undefined ? null : (
            <div class="callout" data-state="failing">
              <p>
                <Told>{refused}</Told>
              </p>
            </div>
          )}
        </div>
        {flag.figure === undefined ? null : <Figure figure={flag.figure} />}
        {urls === undefined ? null : <IssueUrls row={row} urls={urls} />}
        {current === undefined ? (
          <>
            <Disposition {...acts} />
            <Acts {...acts} />
          </>
        ) : (
          <Callout>
            <p>
              An earlier {readingWord(current)} raised this flag. The latest is of{" "}
              <Moment at={parseInstant(current.raised_at) ?? 0} />.
            </p>
            <p>
              <Go to={flagHref(current.id, query)} words="Open the latest" />
            </p>
          </Callout>
        )}
        <Near near={near} />
        <Judged flag={flag} />
        <Fold id="history" heading="History">
          <EarlierReadings flag={flag} query={query} />
          <Past history={history} />
        </Fold>
      </div>
    </article>
  );
}

/** What is read only by who asks for it. */
function Fold(props: { readonly id: string; readonly heading: string; readonly children: Child }) {
  return (
    <details class="fold" id={`flag-${props.id}`}>
      <summary>{props.heading}</summary>
      <div class="stack">{props.children}</div>
    </details>
  );
}

/** The flag in one line and its news; a script shows the link when there is something new. */
function Summary({ row, focus, href }: { row: ChainedFlag; href: string; focus: boolean }) {
  const { now } = here();
  const updated = toolsUpdatedWords(row.rule_inputs);
  const { since, reports } = row.chain;
  return (
    <div class="stack tight">
      <p class="row">
        <SeverityMark severity={row.severity} />
        <a href={paths.site(siteOf(row))}>
          <Told class="wrap">{siteOf(row)}</Told>
        </a>
        <span class="dim">
          {reports === 1 ? "raised" : "first raised"} <Moment at={parseInstant(since) ?? 0} />
          {reports === 1 ? null : `, ${countOf(reports, readingWord(row))}`}
          {row.resolved_at === null
            ? null
            : [", resolved ", <Moment at={parseInstant(row.resolved_at) ?? 0} />]}
        </span>
        <span role="status">
          <a href={href} data-changed hidden>
            Changed since you opened it: reload
          </a>
        </span>
      </p>
      <h2 id="flag-heading" class="lede" tabindex={-1} autofocus={focus}>
        <Told class="wrap">{titleOf(row, now)}</Told>
      </h2>
      {updated === null ? null : <p class="note">{updated}.</p>}
      {row.resolved_at === null ? null : <p class="note">{resolutionWords(row.resolution)}</p>}
    </div>
  );
}

/** Everything statistical: how it was judged in sentences, then the rule with its inputs, and what each run saw. */
function Judged({ flag }: { flag: OpenedFlag }) {
  const { now } = here();
  const { row, inputs, chance, history } = flag;
  // The URLs of an issue have a list of their own.
  const { urls: _apart, ...rest } = inputs ?? {};
  const shown = inputs === null || issueUrls(row) === undefined ? inputs : rest;
  const sender = row.origin === "provider" ? "from a provider" : "sent by the site";
  const rule = row.rule === null ? sender : <Told class="mono wrap">{row.rule}</Told>;
  const isMoved = row.rule_inputs?.["day"] !== inputs?.["day"];
  return (
    <Fold id="judged" heading="How was this judged?">
      <JudgedProof
        sentences={[...judgedWords(row, now), ...(chance === undefined ? [] : [chanceSentence(chance, now)])]}
        rule={rule}
        inputs={shown}
        about={[
          ["Kind", row.kind],
          ["Raised on", siteOf(row) === row.asset ? null : <Told class="wrap">{row.asset}</Told>],
          ["Metric", row.metric === null ? null : <Told class="mono wrap">{row.metric}</Told>],
          ["Source", sourceName(row.source) ?? null],
          [
            "Subject",
            row.subject === "" || row.subject === row.metric ? null : (
              <Told class="mono wrap">{row.subject}</Told>
            ),
          ],
        ]}
        note={isMoved ? "by report date, one day later" : undefined}
      />
      <EvidenceRecord history={history} />
    </Fold>
  );
}
