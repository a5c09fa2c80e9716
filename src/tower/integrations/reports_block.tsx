/** Outcomes of a property that are listed here; the archive's own page has all of them. */

import { countWords as countOf } from "../../base/text.ts";
import { parseUtcDay } from "../../base/time.ts";
import { familyOf, HEALTH_STATES, type HealthState } from "../../health/health.ts";
import type { CapabilityView, TargetView } from "../../integrations/integrations.ts";
import { formatCount, formatDay } from "../format.ts";
import { Block } from "../kit/block.tsx";
import { STATE_WORDS, StateMark } from "../kit/glyph.tsx";
import { here } from "../kit/here.ts";
import { List } from "../kit/list.tsx";
import { paths } from "../paths.ts";
import { FAMILY_WORDS } from "../site/family_words.ts";
import { providerName } from "./matrix_table.tsx";
import { Cause, idPart } from "./needs.tsx";
import { proofWords, retryWords } from "./needs_table.tsx";

/** Archived reports in words: which one an outcome is of, and how all of a property stand. Pure. */

/** A report of a date: what it is called, and its day. */
interface NamedReport {
  readonly title: string;
  readonly day: string;
}

/** Which report the key of a family names; undefined where it names none. */
function namedReport(key: string, now: number): NamedReport | undefined {
  const family = familyOf(key);
  const day = family && parseUtcDay(family.date);
  if (family === undefined || day === undefined) return undefined;
  return { title: FAMILY_WORDS[family.report]?.title ?? family.report, day: formatDay(day, now) };
}

/** The most urgent first; what owes nothing comes last. */
const ORDER: readonly HealthState[] = [...HEALTH_STATES.filter((state) => state !== "idle"), "idle"];

/** How many outcomes stand how: "1 Failing, 40 Working, 369 Idle". */
export function countsWords(counts: Readonly<Record<HealthState, number>>): string {
  return ORDER.flatMap((state) =>
    counts[state] === 0 ? [] : [`${formatCount(counts[state])} ${STATE_WORDS[state]}`],
  ).join(", ");
}

const SHOWN = 12;

/** All reports of a property together, with what each of them came to. */
export interface SiteReports {
  readonly of: CapabilityView;
  readonly together: TargetView;
  readonly each: readonly TargetView[];
}

/** What is archived of a site, report by report: what fails first, then the newest dates. Each provider's part opens. */
export function ReportsBlock({ asset, reports }: { asset: string; reports: readonly SiteReports[] }) {
  const tried = reports.filter(({ each }) => each.some(({ family }) => family !== ""));
  if (tried.length === 0) return null;
  return (
    <Block
      id="reports"
      heading="Archived reports"
      note="an outcome for each report of each date; one that failed stays so until it comes"
      tools={<a href={paths.archiveOfSite(asset)}>Archive of this site</a>}
    >
      <div class="stack tight">
        {tried.map((one) => (
          <details id={`reports-${one.of.provider}`}>
            <summary>
              {providerName(one.of.provider)}: {countsWords(one.together.counts ?? NONE)}
            </summary>
            <Outcomes reports={one} />
            <Rest asset={asset} reports={one} />
          </details>
        ))}
      </div>
    </Block>
  );
}

const NONE = {
  failing: 0,
  unknown: 0,
  stale: 0,
  disconnected: 0,
  never_run: 0,
  unmonitored: 0,
  paused: 0,
  idle: 0,
  working: 0,
};

function Outcomes({ reports }: { reports: SiteReports }) {
  const { now } = here();
  const { of, each } = reports;
  return (
    <List
      class="apart"
      of={`Reports of ${providerName(of.provider)}, what fails first`}
      items={each.slice(0, SHOWN)}
      id={({ family }) => `report-${idPart(`${of.provider} ${family}`)}`}
      columns={[
        ["State", ({ state }) => <StateMark state={state} />, { label: false, class: "nowrap" }],
        [
          "Report",
          ({ family }) => {
            const named = namedReport(family, now);
            return (
              <>
                {named?.title ?? of.label} {named === undefined ? null : <small>{named.day}</small>}
              </>
            );
          },
          { names: true },
        ],
        [
          "What is known",
          (target) => (
            <>
              <Cause target={target} kind={of.kind} />
              <span class="proof">
                {proofWords(target, of.kind, now)} {target.dueAt === null ? retryWords(target, of, now) : ""}
              </span>
            </>
          ),
          { class: "all" },
        ],
      ]}
    />
  );
}

/** How many there are beyond those that are listed. */
function Rest({ asset, reports }: { asset: string; reports: SiteReports }) {
  const { together, each } = reports;
  const all = Object.values(together.counts ?? NONE).reduce((sum, count) => sum + count, 0);
  const left = all - Math.min(each.length, SHOWN);
  if (left <= 0) return null;
  return (
    <p class="note">
      <a href={paths.archiveOfSite(asset)}>{countOf(left, "more outcome")}</a>
    </p>
  );
}
