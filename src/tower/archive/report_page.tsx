import { dayOfNumber } from "../../lib/day_number.ts";
import { findFamily } from "../../provider/report/families.ts";
import { Block } from "../component/block.tsx";
import { PROVIDER_WORDS } from "../component/provider_words.ts";
import { DataTable } from "../component/table.tsx";
import { Code, Told } from "../component/text.tsx";
import { Moment } from "../component/time.tsx";
import { countOf, formatCount, formatDay } from "../format.ts";
import { familyTitle } from "../insights/family_words.ts";
import { Page } from "../layout.tsx";
import { paths } from "../paths.ts";
import type { Shell } from "../shell.ts";
import { DatesOf, OutcomeOf } from "./attempts_table.tsx";
import { broughtWords } from "./brought_words.ts";
import { contentWords } from "./grid_table.tsx";
import { KeptRows } from "./kept_rows.tsx";
import { attemptsHref } from "./query.ts";
import { AttemptFacts, ObjectBlock } from "./report_facts.tsx";
import type { ReportView } from "./report_view.ts";

/** One attempt to get a report: what was asked, what came, what is kept, and what is read from it. */
export function ReportPage({ shell, view }: { readonly shell: Shell; readonly view: ReportView }) {
  const { row, attempts, hasMoreAttempts, insight } = view;
  const { target, object } = row;
  const { now } = shell;
  const family = findFamily(target.provider, target.family);
  const last = formatDay(dayOfNumber(row.date), now);
  return (
    <Page shell={shell} title={`${familyTitle(target.family)}, ${last}`} current="integrations">
      <div class="head">
        <div>
          <p class="crumb">
            <a href={paths.integrations}>Integrations</a> / <a href={paths.archive}>Archive</a> /{" "}
            <a href={paths.archiveOfSite(target.asset)}>
              <Told class="wrap">{target.asset}</Told>
            </a>
          </p>
          <h1>
            {familyTitle(target.family)}, <DatesOf row={row} now={now} />
          </h1>
          <p>
            {PROVIDER_WORDS[target.provider]} of{" "}
            <a href={paths.site(target.asset)}>
              <Told class="wrap">{target.asset}</Told>
            </a>
            , report <Code>{target.family}</Code>
            {family === undefined ? "." : `: ${contentWords(family)}.`}
          </p>
        </div>
      </div>
      <div class="halves">
        <Block heading="The attempt">
          <AttemptFacts row={row} now={now} />
        </Block>
        <ObjectBlock view={view} now={now} />
      </div>
      <Block
        id="attempts"
        heading="Attempts at this report"
        note={`${countOf(attempts.length, "attempt")}${hasMoreAttempts ? " of more" : ""}, newest first`}
        tools={
          hasMoreAttempts ? (
            <a
              href={attemptsHref({ asset: target.asset, family: target.family, date: dayOfNumber(row.date) })}
            >
              All of them
            </a>
          ) : undefined
        }
      >
        <DataTable
          fold
          caption="Attempts at this report, newest first"
          items={attempts}
          id={({ id }) => `attempt-${id}`}
          columns={[
            {
              words: "Asked",
              names: true,
              class: "nowrap",
              cell: (one) =>
                one.id === row.id ? (
                  <b>
                    <Moment at={one.attemptedAt} now={now} />, this one
                  </b>
                ) : (
                  <a href={paths.archiveReport(one.id)}>
                    <Moment at={one.attemptedAt} now={now} />
                  </a>
                ),
            },
            { words: "Outcome", label: true, cell: (one) => <OutcomeOf row={one} /> },
            {
              words: "Rows",
              label: true,
              numeric: true,
              cell: (one) => (one.object === null ? null : formatCount(one.object.rows)),
            },
            {
              words: "What it changed",
              class: "all",
              cell: (one, place) => broughtWords(one, attempts.slice(place + 1), hasMoreAttempts),
            },
          ]}
        />
      </Block>
      {object === null ? null : <KeptRows insight={insight} family={family} row={row} now={now} />}
    </Page>
  );
}
