/** One attempt to get a report: what was asked, what came, and the rows that are kept of it. */

import { listInsights, type StoredInsight } from "../../archive/insights.ts";
import { findReport, reportsOfObject } from "../../archive/manifest.ts";
import { FAULT_WORDS } from "../../archive/manifest_copy.ts";
import { listManifest, type ManifestStretch } from "../../archive/manifest_list.ts";
import type { ArchiveObject, ManifestRow } from "../../archive/manifest_row.ts";
import { type Damage, findDamage } from "../../archive/verify_events.ts";
import { byteWords, capital, countWords as countOf } from "../../base/text.ts";
import { dayOfNumber } from "../../base/time.ts";
import { failureWords } from "../../health/capability_words.ts";
import type { ReportFamily } from "../../providers/report_families.ts";
import type { Db } from "../../store/store.ts";
import { formatCount } from "../format.ts";
import { Block } from "../kit/block.tsx";
import { CATEGORY_WORDS } from "../kit/category_words.ts";
import { Empty } from "../kit/empty.tsx";
import { ARCHIVE_NOTE_WORDS, ARCHIVE_OUTCOME_WORDS, ArchiveMark } from "../kit/glyph.tsx";
import { tookWords } from "../kit/job_words.ts";
import { Code, Told } from "../kit/links.tsx";
import { type Column, List } from "../kit/list.tsx";
import { Callout } from "../kit/monitoring_words.tsx";
import { DateOf, Moment } from "../kit/proof.tsx";
import { Copy } from "../kit/shown_once.tsx";
import { Facts } from "../kit/term.tsx";
import { paths } from "../paths.ts";
import { figureWords, keyKind } from "../site/family_words.ts";
import { isAssistantReferral, LowerBound, plainAddress } from "../site/key_cell.tsx";
import { figureText } from "../site/lanes.ts";
import { DatesOf } from "./attempts_table.tsx";
import { attemptsHref } from "./grid_table.tsx";

/** Attempts of one report, and attempts of one object, that are named. */
const MOST_ATTEMPTS = 25;
const MOST_OTHERS = 8;

export interface ReportView {
  readonly row: ManifestRow;
  /** Attempts at the same report of the same date, this one among them, newest first. */
  readonly attempts: readonly ManifestRow[];
  readonly hasMoreAttempts: boolean;
  /** Attempts at other reports that came to the same bytes, newest first, and whether there are more. */
  readonly others: readonly ManifestRow[];
  readonly hasMoreOthers: boolean;
  /** What is wrong with the object, where something was found. */
  readonly damage: Damage | undefined;
  /** What is kept of the report, where that was read from these bytes. */
  readonly insight: StoredInsight | undefined;
}

/** Undefined where there is no such attempt. */
export function reportView(db: Db, id: number): ReportView | Promise<ReportView> | undefined {
  const row = findReport(db, id);
  if (row === undefined) return undefined;
  const { asset, provider, family } = row.target;
  const found = listManifest(db, {
    asset,
    provider,
    family,
    from: row.date,
    to: row.date,
    limit: MOST_ATTEMPTS,
  });
  const view = (stretch: ManifestStretch) => viewOf(db, row, stretch);
  return found instanceof Promise ? found.then(view) : view(found);
}

function viewOf(db: Db, row: ManifestRow, { rows: attempts, next }: ManifestStretch): ReportView {
  const { object } = row;
  // Those of the report itself are named already.
  const same = object === null ? [] : reportsOfObject(db, object.sha256, MOST_ATTEMPTS + MOST_OTHERS + 1);
  const others = same.filter((one) => !isOfReport(one, row));
  return {
    row,
    attempts,
    hasMoreAttempts: next !== undefined,
    others: others.slice(0, MOST_OTHERS),
    hasMoreOthers: others.length > MOST_OTHERS,
    damage: object === null ? undefined : findDamage(db, object.sha256),
    insight: object === null ? undefined : insightOf(db, row, object),
  };
}

const isOfReport = (one: ManifestRow, { target, date }: ManifestRow): boolean =>
  one.date === date &&
  one.target.asset === target.asset &&
  one.target.provider === target.provider &&
  one.target.family === target.family;

/** What is kept of the report, where it was read from this object: by this attempt or by an earlier one. */
function insightOf(db: Db, row: ManifestRow, object: ArchiveObject): StoredInsight | undefined {
  const { asset, provider, family } = row.target;
  const date = dayOfNumber(row.date);
  return listInsights(db, { asset, provider, families: [family], from: row.date })
    .filter((one) => one.date === date)
    .find((one) => one.report === row.id || findReport(db, one.report)?.object?.sha256 === object.sha256);
}

export function AttemptFacts({ row }: { row: ManifestRow }) {
  const { outcome, category, failureCode, nextRetryAt, notes, target } = row;
  return (
    <Facts
      loose
      facts={[
        [
          "Outcome",
          <>
            <ArchiveMark outcome={outcome} /> <span class="block-sm">{ARCHIVE_OUTCOME_WORDS[outcome]}</span>
          </>,
        ],
        ["Why", category === null ? null : <Why row={row} />],
        ["Code", failureCode === null ? null : <Code>{failureCode}</Code>],
        ["Not again before", nextRetryAt === null ? null : <Moment at={nextRetryAt} />],
        [row.rangeFrom === null ? "Date" : "Dates", <DatesOf row={row} />],
        ["Asked", <Moment at={row.attemptedAt} />],
        ["Took", tookWords(row.tookMs)],
        ["Requests", formatCount(row.requests)],
        [
          "Noted",
          notes.length === 0 ? null : (
            <ul>
              {notes.map((note) => (
                <li>{ARCHIVE_NOTE_WORDS[note]}</li>
              ))}
            </ul>
          ),
        ],
        [
          "Run",
          row.run === "" ? null : (
            <a class="mono wrap" href={paths.run(row.run)}>
              {row.run}
            </a>
          ),
        ],
        ["Property", <Code>{target.property}</Code>],
        ["Connection", <Code>{target.connectionRevision}</Code>],
      ]}
    />
  );
}

function Why({ row: { category, failureCode: code } }: { row: ManifestRow }) {
  if (category === null) return null;
  const { why, action } = failureWords({ category, code });
  return (
    <>
      <b>{CATEGORY_WORDS[category]}.</b> {why} {action.text}
    </>
  );
}

/** The bytes that came: their name, how many they are, and the way to them. */
export function ObjectBlock({ view }: { view: ReportView }) {
  const { row, others, hasMoreOthers, damage } = view;
  const { object, complete, outcome } = row;
  if (object === null) {
    return (
      <Block heading="What came">
        <Empty heading="No object">
          <p>
            {outcome === "source_lag"
              ? "The date was not final with its provider, so that nothing was asked for."
              : "Nothing came that could be kept. What earlier attempts stored is as it was."}
          </p>
        </Empty>
      </Block>
    );
  }
  return (
    <Block heading="What came">
      <div class="stack tight">
        <Facts
          loose
          facts={[
            ["Rows", formatCount(object.rows)],
            [
              "Bytes",
              `${byteWords(object.bytes)} as it came (${formatCount(object.bytes)} bytes), ${byteWords(object.storedBytes)} as stored`,
            ],
            ["Content", object.secrets === null ? null : changedWords(object.secrets)],
            ["Whole", complete ? "yes, all of the report" : "no: it is only a part of the report"],
            [
              "Same bytes",
              others.length === 0 ? null : (
                <a href={attemptsHref({ object: object.sha256 })}>
                  {hasMoreOthers ? "more than " : ""}
                  {countOf(others.length, "attempt")} at other reports came to the same object
                </a>
              ),
            ],
          ]}
        />
        <p class="note">Its name is the SHA-256 of the answer's bytes:</p>
        <Copy id="object-name" label="The name of the object" text={object.sha256} />
        {damage === undefined ? (
          <p>
            <a class="btn" href={paths.apiArchiveObject(object.sha256)} download={object.sha256}>
              Download the answer
            </a>
          </p>
        ) : (
          <Callout tone="failing">
            <p>
              <b>The object {FAULT_WORDS[damage.fault]}</b>, found <Moment at={damage.foundAt} />. It is not
              served. Put it back from a backup and run <Code>bun run tower archive verify</Code>; a report
              that is fetched again is stored anew by itself.
            </p>
          </Callout>
        )}
      </div>
    </Block>
  );
}

const changedWords = (secrets: number): string =>
  secrets === 0
    ? "unchanged, as the provider sent it"
    : `unchanged but for ${countOf(secrets, "secret")}, which read [secret]`;

type Kept = StoredInsight["top"][number];

export function KeptRows(props: {
  readonly insight: StoredInsight | undefined;
  readonly family: ReportFamily | undefined;
  readonly row: ManifestRow;
}) {
  const { insight, family, row } = props;
  if (family === undefined) return null;
  if (insight === undefined) {
    return (
      <Block heading="What is read from it">
        <p>
          {row.complete
            ? "No figure of the Tower is read from it now: only the newest dates of each report are kept to be shown."
            : "No figure is ever read from a part of a report."}
        </p>
      </Block>
    );
  }
  const { top } = insight;
  return (
    <Block
      heading="What is read from it"
      note={keptWords(family, insight)}
      tools={<a href={paths.site(row.target.asset)}>The site's page</a>}
    >
      <div class="stack tight">
        {insight.report === row.id ? null : (
          <p class="note">
            Read at <a href={paths.archiveReport(insight.report)}>another attempt</a> that came to the same
            object.
          </p>
        )}
        <List
          of="The rows that are kept of the report"
          items={top}
          empty={<p class="note">The report has no rows: nothing happened that it tells of.</p>}
          columns={[
            ...family.dimensions.map(
              (name, place): Column<Kept> => [
                capital(name.replaceAll("_", " ")),
                ({ keys }) => (
                  <>
                    <Key dimension={name} text={keys[place] ?? ""} />
                    {place === 0 && isAssistantReferral(family, keys) ? [" ", <LowerBound />] : null}
                  </>
                ),
                { names: place === 0 },
              ],
            ),
            ...family.metrics.map(
              (name, place): Column<Kept> => [
                capital(figureWords(name).words),
                ({ values }) => <Figure metric={name} value={values[place]} />,
                { numeric: true },
              ],
            ),
          ]}
        />
      </div>
    </Block>
  );
}

/** Which rows are kept, of how many: of lists of days the newest, of weekly reports those of the newest week. */
function keptWords(
  { dimensions }: Pick<ReportFamily, "dimensions">,
  { top, rows, among }: Pick<StoredInsight, "top" | "rows" | "among">,
): string {
  const of = among ?? rows;
  const first = dimensions.length === 1 && dimensions[0] === "date" ? "newest" : "first";
  const kept =
    top.length === of
      ? `all ${countOf(of, "row")}`
      : `the ${first} ${formatCount(top.length)} of ${countOf(of, "row")}`;
  return among === undefined ? kept : `${kept} of the newest week, ${countOf(rows, "row")} in all`;
}

function Key({ dimension, text }: { dimension: string; text: string }) {
  if (text === "") return <span class="dim">(empty)</span>;
  return <Told class="wrap">{keyKind(dimension) === "address" ? plainAddress(text) : text}</Told>;
}

/** Figures that are moments, in milliseconds since the epoch. */
const MOMENTS: ReadonlySet<string> = new Set(["last_crawled", "submitted"]);

/** A figure of a row; one that is not told is no 0. */
function Figure({ metric, value }: { metric: string; value: number | null | undefined }) {
  if (value === null || value === undefined) return <span class="dim">not told</span>;
  if (MOMENTS.has(metric)) return <DateOf at={value} />;
  const { unit } = figureWords(metric);
  // What a provider writes where there is no position.
  if (unit === "position" && value < 0) return <span class="dim">none</span>;
  return <>{figureText(unit, value)}</>;
}
