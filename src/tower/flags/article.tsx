/** One flag with its proof: what was done with it, how it was judged, its numbers, what was near in time, and its record. */

import { countWords as countOf } from "../../base/text.ts";
import { parseInstant } from "../../base/time.ts";
import { titleOf } from "../../flags/api.ts";
import type { ChainedFlag, FlagRow, RuleInputs } from "../../flags/flags.ts";
import { seriesName, sourceName } from "../../sites/flag_titles.ts";
import { formatSpan } from "../format.ts";
import { Block } from "../kit/block.tsx";
import { chanceSentence } from "../kit/chance_mark.ts";
import { Mark } from "../kit/chart_marks.tsx";
import { here } from "../kit/here.ts";
import { Go, SeverityMark, Told } from "../kit/links.tsx";
import { Callout } from "../kit/monitoring_words.tsx";
import { Clock, Moment, proofOf, SECOND_ONLY, toolsUpdatedWords } from "../kit/proof.tsx";
import { readingWord } from "../kit/reading_words.ts";
import { Facts, Marked, markTerms } from "../kit/term.tsx";
import { paths } from "../paths.ts";
import { Acts, Disposition } from "./acts.tsx";
import { FigureBlock } from "./figure.tsx";
import { flagHref, INBOX_PLACE, type InboxQuery, listHref, type OpenedFlag } from "./inbox.ts";
import { OtherSite, otherSiteOf, sourceWords } from "./inbox_list.tsx";
import { judgedWords } from "./judged_words.ts";
import { type Draft, resolutionWords } from "./outcome.ts";
import { type Picture, PicturePlot, pictureOf } from "./picture.tsx";
import { EarlierReadings, EvidenceRecord, History, IssueUrls, issueUrls } from "./record.tsx";

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

/** One flag with its proof: the rule, its inputs, each run's evidence and what was done. It never refreshes under its reader. */
export function FlagArticle(props: ArticleProps) {
  const { now } = here();
  const { flag, query, refused, focus } = props;
  const { row, version, history } = flag;
  const picture = pictureOf(row, now);
  const urls = issueUrls(row);
  const acts = {
    row,
    version,
    query,
    now,
    draft: props.draft,
    opened: props.opened,
    tuneHref: props.tuneHref,
  };
  const sentences = [
    ...judgedWords(row, now),
    ...(flag.chance === undefined ? [] : [chanceSentence(flag.chance, now)]),
  ];
  return (
    <article
      id="flag"
      aria-labelledby="flag-heading"
      data-still
      data-stands={standingOf(flag)}
      hx-swap-oob={props.swap === true ? "outerMorph" : undefined}
    >
      <p class="back">
        <a href={listHref(INBOX_PLACE, query)}>← All flags</a>
      </p>
      <div class="stack">
        <Summary row={row} href={flagHref(row.id, query)} focus={focus === true} />
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
        {flag.current === undefined ? (
          <>
            <Disposition {...acts} />
            <Acts {...acts} />
          </>
        ) : (
          <Callout>
            <p>
              An earlier {readingWord(flag.current)} raised this flag. Later {readingWord(flag.current)}s
              raised it anew, the latest <Moment at={parseInstant(flag.current.raised_at) ?? 0} />; what is
              done with it is done there.
            </p>
            <p>
              <Go
                to={flagHref(flag.current.id, query)}
                words={
                  flag.current.status === "open"
                    ? "The flag as it stands now"
                    : `The last ${readingWord(flag.current)}'s flag`
                }
              />
            </p>
          </Callout>
        )}
        {/* How it was judged, in sentences; the numbers behind them follow. */}
        {sentences.length === 0 ? null : (
          <Block heading={issueUrls(row) === undefined ? "How it was judged" : "What is reported"}>
            {markTerms(sentences).map((sentence) => (
              <p>{sentence}</p>
            ))}
          </Block>
        )}
        {flag.figure === undefined ? null : <FigureBlock row={row} figure={flag.figure} />}
        {urls === undefined ? null : <IssueUrls row={row} urls={urls} />}
        <Proof row={{ ...row, rule_inputs: flag.inputs }} picture={picture} moved={isMoved(flag)} />
        <Block heading="Near in time" note="This is not a cause.">
          {flag.near.length === 0 ? (
            <p>No annotation in the week before or the day after.</p>
          ) : (
            <ul class="near">
              {flag.near.map((annotation) => (
                <li>
                  <Mark kind={annotation.kind} />
                  <Moment at={annotation.atMs} />
                  <span>
                    <Told class="wrap">{annotation.ref}</Told>
                    {annotation.note === null || annotation.note === undefined ? null : (
                      <small>
                        <Told class="wrap">{annotation.note}</Told>
                      </small>
                    )}
                  </span>
                </li>
              ))}
            </ul>
          )}
        </Block>
        <EarlierReadings flag={flag} query={query} />
        <EvidenceRecord history={history} />
        <History history={history} />
      </div>
    </article>
  );
}

const isMoved = ({ row, inputs }: OpenedFlag): boolean => row.rule_inputs?.["day"] !== inputs?.["day"];

/** Tells apart two states of a flag and what stands around it. */
function standingOf({ version, history, current, near }: OpenedFlag): string {
  return [version, history.record.at(-1)?.at, history.record.length, current?.id, near.length].join(" ");
}

/** What is read stands still and says as of when it is; a script shows the link when there is something new. */
function Summary({ row, focus, href }: { row: ChainedFlag; href: string; focus: boolean }) {
  const { now } = here();
  const updated = toolsUpdatedWords(row.rule_inputs);
  const other = otherSiteOf(row);
  const since = parseInstant(row.chain.since) ?? 0;
  const raised = parseInstant(row.raised_at) ?? 0;
  const resolved = row.resolved_at === null ? undefined : (parseInstant(row.resolved_at) ?? 0);
  return (
    <div class="stack tight">
      <p class="row">
        <SeverityMark severity={row.severity} />
        <span class="tag">
          <Marked>{row.kind}</Marked>
        </span>
        <a href={paths.site(row.asset)}>
          <Told class="wrap">{row.asset}</Told>
        </a>
        {other === undefined ? null : (
          <span>
            about <OtherSite site={other} />
          </span>
        )}
        <span class="dim">
          {row.chain.reports === 1 ? "raised" : "first raised"} <Moment at={since} />,{" "}
          {row.chain.reports === 1
            ? null
            : [countOf(row.chain.reports, readingWord(row)), ", this one ", <Moment at={raised} />, ", "]}
          {resolved === undefined
            ? `open ${formatSpan(Math.max(0, now - since))}`
            : ["resolved ", <Moment at={resolved} />]}
          , as of <Clock at={now} seconds />
        </span>
        <span role="status">
          <a href={href} data-changed hidden>
            Changed since: show it as it is now
          </a>
        </span>
      </p>
      <h2 id="flag-heading" class="lede" tabindex={-1} autofocus={focus}>
        <Told class="wrap">{titleOf(row, now)}</Told>
      </h2>
      {updated === null ? null : <p class="note">{updated}.</p>}
      {resolved === undefined ? null : <p class="note">{resolutionWords(row.resolution)}</p>}
    </div>
  );
}

function Proof({ row, picture, moved }: { row: FlagRow; picture: Picture | undefined; moved: boolean }) {
  const { now } = here();
  const rule = row.rule === null ? sourceWords(row) : <Told class="mono wrap">{row.rule}</Told>;
  const other = otherSiteOf(row);
  const { facts, second } = proofOf(rule, withoutUrls(row), now, [
    ["Metric", row.metric === null ? null : <Told class="mono wrap">{row.metric}</Told>],
    ["Told by", sourceName(row.source) ?? null],
    [
      "Subject",
      row.subject === "" || row.subject === row.metric ? null : other === undefined ? (
        <Told class="mono wrap">{row.subject}</Told>
      ) : (
        <OtherSite site={other} />
      ),
    ],
  ]);
  const inputs = (
    <Block
      heading="Rule and inputs"
      note={moved ? "by the dates of the reports, which are a day later" : undefined}
    >
      <Facts facts={facts} marked />
    </Block>
  );
  if (picture === undefined) return inputs;
  return (
    <div class="halves">
      <div class="stack">
        <Block
          heading="Test"
          note={row.metric === null ? undefined : <Told>{seriesName(row.metric, row.source)}</Told>}
        >
          <PicturePlot picture={picture} severity={row.severity} />
        </Block>
        {second.length === 0 ? null : (
          <Block heading="Second condition" note={SECOND_ONLY}>
            <Facts facts={second} marked />
          </Block>
        )}
      </div>
      {inputs}
    </div>
  );
}

/** The inputs but for the URLs of an issue, which have a block of their own. */
function withoutUrls(row: FlagRow): RuleInputs | null {
  if (row.rule_inputs === null || issueUrls(row) === undefined) return row.rule_inputs;
  const { urls: _apart, ...inputs } = row.rule_inputs;
  return inputs;
}
