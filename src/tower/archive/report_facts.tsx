import { FAULT_WORDS, type ManifestRow } from "../../archive/mod.ts";
import { failureWords } from "../../health/mod.ts";
import { byteWords } from "../../lib/byte_words.ts";
import { ARCHIVE_NOTE_WORDS, ARCHIVE_OUTCOME_WORDS, ArchiveMark } from "../component/archive_mark.tsx";
import { Block } from "../component/block.tsx";
import { Callout } from "../component/callout.tsx";
import { CATEGORY_WORDS } from "../component/category_words.ts";
import { Copy } from "../component/copy.tsx";
import { Empty } from "../component/empty.tsx";
import { Facts } from "../component/facts.tsx";
import { tookWords } from "../component/job_words.ts";
import { Code } from "../component/text.tsx";
import { Moment } from "../component/time.tsx";
import { countOf, formatCount } from "../format.ts";
import { paths } from "../paths.ts";
import { DatesOf } from "./attempts_table.tsx";
import { attemptsHref } from "./query.ts";
import type { ReportView } from "./report_view.ts";

/** What was asked, and what it came to. */
export function AttemptFacts({ row, now }: { readonly row: ManifestRow; readonly now: number }) {
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
        ["Not again before", nextRetryAt === null ? null : <Moment at={nextRetryAt} now={now} />],
        [row.rangeFrom === null ? "Date" : "Dates", <DatesOf row={row} now={now} />],
        ["Asked", <Moment at={row.attemptedAt} now={now} />],
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

function Why({ row: { category, failureCode: code } }: { readonly row: ManifestRow }) {
  if (category === null) return null;
  const { why, action } = failureWords({ category, code });
  return (
    <>
      <b>{CATEGORY_WORDS[category]}.</b> {why} {action.text}
    </>
  );
}

/** The bytes that came: their name, how many they are, and the way to them. */
export function ObjectBlock({ view, now }: { readonly view: ReportView; readonly now: number }) {
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
              <b>The object {FAULT_WORDS[damage.fault]}</b>, found <Moment at={damage.foundAt} now={now} />.
              It is not served. Put it back from a backup and run <Code>bun run tower archive verify</Code>; a
              report that is fetched again is stored anew by itself.
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
