/** `/archive/reports/{id}`: one attempt to get a report, and the object it brought. */

import { findReport } from "../../archive/manifest.ts";
import { FAULT_WORDS } from "../../archive/manifest_copy.ts";
import type { ManifestRow } from "../../archive/manifest_row.ts";
import { findDamage } from "../../archive/verify_events.ts";
import { orNotFound } from "../../base/problem.ts";
import { byteWords } from "../../base/text.ts";
import { dayOfNumber } from "../../base/time.ts";
import { failureWords } from "../../health/capability_words.ts";
import { PROVIDER_NAMES } from "../../providers/adapter.ts";
import { findFamily } from "../../providers/report_families.ts";
import { formatCount, formatDay } from "../format.ts";
import type { PageGround } from "../ground.ts";
import { Copy } from "../kit/field.tsx";
import { ARCHIVE_NOTE_WORDS, ARCHIVE_OUTCOME_WORDS, LookMark, OUTCOME_LOOKS } from "../kit/glyph.tsx";
import { Code, Told } from "../kit/links.tsx";
import { Block, Empty } from "../kit/list.tsx";
import { Facts, Moment } from "../kit/proof.tsx";
import { get, mounted } from "../kit/route.ts";
import { CATEGORY_WORDS, Callout, tookWords } from "../kit/words.tsx";
import { Page } from "../layout.tsx";
import { paths } from "../paths.ts";
import { familyTitle } from "../site/family_words.ts";
import { reportHref } from "../site/panel_state.ts";
import { DatesOf } from "./archive.tsx";
import { attemptsHref, contentWords } from "./grid.tsx";

export function archiveReportRoutes(deps: PageGround) {
  const { db } = deps;
  return mounted(deps, [
    get(
      paths.archiveReport,
      {
        find: ({ report }) =>
          orNotFound(
            /^[1-9]\d{0,14}$/.test(report) ? findReport(db, Number(report)) : undefined,
            "No such attempt of the archive.",
          ),
      },
      ({ found: row }) => (
        <ReportPage row={row} damage={row.object === null ? undefined : findDamage(db, row.object.sha256)} />
      ),
    ),
  ]);
}

interface ReportProps {
  readonly row: ManifestRow;
  readonly damage: ReturnType<typeof findDamage>;
}

function ReportPage({ row, damage }: ReportProps) {
  const { target } = row;
  const family = findFamily(target.provider, target.family);
  const last = formatDay(dayOfNumber(row.date));
  return (
    <Page title={`${familyTitle(target.family)}, ${last}`} current="integrations">
      <div class="head">
        <div>
          <p class="crumb">
            <a href={paths.integrations}>Integrations</a> / <a href={paths.archive}>Archive</a> /{" "}
            <a href={paths.archiveOfSite(target.asset)}>
              <Told class="wrap">{target.asset}</Told>
            </a>
          </p>
          <h1>
            {familyTitle(target.family)}, <DatesOf row={row} />
          </h1>
          <p>
            {PROVIDER_NAMES[target.provider]} of{" "}
            <a href={paths.site(target.asset)}>
              <Told class="wrap">{target.asset}</Told>
            </a>
            , report <Code>{target.family}</Code>
            {family === undefined ? "." : `: ${contentWords(family)}.`}
          </p>
        </div>
      </div>
      <div class="halves">
        <Block
          heading="Attempt"
          tools={
            <a
              href={attemptsHref({ asset: target.asset, family: target.family, date: dayOfNumber(row.date) })}
            >
              All attempts
            </a>
          }
        >
          <AttemptFacts row={row} />
        </Block>
        <ObjectBlock row={row} damage={damage} />
      </div>
    </Page>
  );
}

function AttemptFacts({ row }: { row: ManifestRow }) {
  const { outcome, category, failureCode, nextRetryAt, notes, target } = row;
  return (
    <Facts
      loose
      facts={[
        [
          "Outcome",
          <>
            <LookMark look={OUTCOME_LOOKS[outcome]} />{" "}
            <span class="block-sm">{ARCHIVE_OUTCOME_WORDS[outcome]}</span>
          </>,
        ],
        ["Why", category === null ? null : <Why row={row} />],
        ["Code", failureCode === null ? null : <Code>{failureCode}</Code>],
        ["Next retry", nextRetryAt === null ? null : <Moment at={nextRetryAt} />],
        [row.rangeFrom === null ? "Date" : "Dates", <DatesOf row={row} />],
        ["When", <Moment at={row.attemptedAt} />],
        ["Took", tookWords(row.tookMs)],
        ["Requests", formatCount(row.requests)],
        [
          "Notes",
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
function ObjectBlock({ row, damage }: ReportProps) {
  const { object, complete, outcome, target } = row;
  const family = findFamily(target.provider, target.family);
  if (object === null) {
    return (
      <Block heading="Object">
        <Empty heading="No object">
          <p>
            {outcome === "source_lag"
              ? "The provider's figures of this date were not final, so nothing was fetched."
              : "Nothing was stored. What earlier attempts stored stays."}
          </p>
        </Empty>
      </Block>
    );
  }
  return (
    <Block heading="Object">
      <div class="stack tight">
        <Facts
          loose
          facts={[
            [
              "Rows",
              <>
                {formatCount(object.rows)}
                {family === undefined
                  ? null
                  : [", ", <a href={reportHref(target.asset, family)}>the newest on Search & traffic</a>]}
              </>,
            ],
            [
              "Bytes",
              `${byteWords(object.bytes)} (${formatCount(object.bytes)} bytes), ${byteWords(object.storedBytes)} on disk`,
            ],
            ["Complete", complete ? "yes" : "no, only a part of the report"],
          ]}
        />
        <p class="note">Its name, the SHA-256 of its bytes:</p>
        <Copy id="object-name" label="Name of the object" text={object.sha256} />
        {damage === undefined ? (
          <p>
            <a class="btn" href={paths.apiArchiveObject(object.sha256)} download={object.sha256}>
              Download
            </a>
          </p>
        ) : (
          <Callout tone="failing">
            <p>
              <b>The object {FAULT_WORDS[damage.fault]}</b>, found <Moment at={damage.found_at} />, and not
              served. Restore it from a backup and run <Code>bun run tower archive verify</Code>.
            </p>
          </Callout>
        )}
      </div>
    </Block>
  );
}
