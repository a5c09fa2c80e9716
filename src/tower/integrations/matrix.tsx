/** Sites by capabilities: which rows and columns there are, and the table of them. */

import { capital, countWords as countOf } from "../../base/text.ts";
import { parseUtcDay } from "../../base/time.ts";
import { capabilityOf } from "../../health/catalogue.ts";
import { HEALTH_STATES, type HealthState } from "../../health/health.ts";
import type { CapabilityView, HealthView, SiteHealth, TargetView } from "../../integrations/integrations.ts";
import { PROVIDER_NAMES } from "../../providers/adapter.ts";
import { formatCount, formatDay } from "../format.ts";
import { Filters } from "../kit/address.tsx";
import { SearchForm } from "../kit/field.tsx";
import { StateMark } from "../kit/glyph.tsx";
import { here } from "../kit/here.ts";
import { Unseen } from "../kit/links.tsx";
import { Block, Pager, pageOf } from "../kit/list.tsx";
import { paths } from "../paths.ts";
import { capabilityId, SiteLink } from "./acts.tsx";
import { type IntegrationsQuery, integrationsAddress, integrationsHref } from "./coverage.tsx";
import { proofWords } from "./target_words.tsx";

const PAGE_SIZE = 50;

type Matrix = ReturnType<typeof matrixOf>;

/** Whether it is a column: what is read or sent for one site, on a schedule or by it. */
function isColumn({ kind, targets }: CapabilityView): boolean {
  return (kind === "production_read" || kind === "ingest") && targets.some(({ asset }) => asset !== "");
}

/** The matrix as the address asks for it; the worst site first. */
export function matrixOf(
  view: Pick<HealthView, "capabilities">,
  health: ReadonlyMap<string, SiteHealth>,
  query: IntegrationsQuery,
) {
  const columns = view.capabilities.filter(isColumn);
  const cells = columns.map(worstByAsset);
  const known = [...health].filter(([asset]) => cells.some((column) => column.has(asset)));
  const wanted = known.filter(([asset]) => fits(asset, query, columns, cells));
  const { items, paging } = pageOf(wanted.toSorted(byUrgency), query.page, PAGE_SIZE);
  return {
    /** In the order of the catalogue, those of one provider beside one another. */
    columns,
    /** A cell is undefined where the capability is not set up. */
    rows: items.map(([asset, own]) => ({
      asset,
      health: own,
      cells: cells.map((column) => column.get(asset)),
    })),
    paging,
  };
}

type Column = ReadonlyMap<string, TargetView>;

/** The target of each site; the worst where it has several. */
function worstByAsset({ targets }: CapabilityView): Column {
  const found = new Map<string, TargetView>();
  for (const target of targets) {
    const held = found.get(target.asset);
    if (held === undefined || urgencyOf(target.state) < urgencyOf(held.state))
      found.set(target.asset, target);
  }
  return found;
}

const urgencyOf = (state: HealthState): number => HEALTH_STATES.indexOf(state);

function byUrgency([a, of]: readonly [string, SiteHealth], [b, and]: readonly [string, SiteHealth]): number {
  return urgencyOf(of.state) - urgencyOf(and.state) || (a < b ? -1 : 1);
}

function fits(
  asset: string,
  { state, capability, q }: IntegrationsQuery,
  columns: readonly CapabilityView[],
  cells: readonly Column[],
): boolean {
  if (q !== "" && !asset.toLowerCase().includes(q.toLowerCase())) return false;
  if (state === null && capability === null) return true;
  return columns.some((column, place) => {
    const cell = cells[place]?.get(asset);
    return (
      cell !== undefined &&
      (capability === null || column.capability === capability) &&
      (state === null || cell.state === state)
    );
  });
}

const SENDERS: Readonly<Record<string, string>> = {
  ingest: "Reports in",
  annotations: "Annotations",
  calendars: "Calendars",
};

function providerName(provider: string): string {
  return { ...SENDERS, ...PROVIDER_NAMES }[provider] ?? provider;
}

/** What a capability is called below the name of its provider: "Daily" of "Search console, daily". */
function shortLabel(label: string): string {
  const [, ...rest] = label.split(", ");
  return capital(rest.length === 0 ? label : rest.join(", "));
}

/** Sites by capabilities: one state for each, with what proves it. */
export function MatrixBlock(props: { readonly matrix: Matrix; readonly query: IntegrationsQuery }) {
  const { matrix, query } = props;
  if (matrix.columns.length === 0) return null;
  const { state, capability, q } = query;
  const isNarrowed = state !== null || capability !== null || q !== "";
  const working = matrix.rows.filter(({ cells }) =>
    cells.every((cell) => (cell?.state ?? "working") === "working"),
  );
  return (
    <Block
      id="matrix"
      heading="Sites by capabilities"
      note="each state opens what proves it; a dash means not set up"
    >
      <div class="stack tight">
        <SearchForm
          action={paths.integrations}
          words="Site"
          value={query.q}
          keep={integrationsAddress.search({ ...query, q: "", page: 1 })}
        />
        <Filters
          path={paths.allIntegrations}
          address={integrationsAddress}
          query={query}
          words={{ q: "Site", state: "State", capability: "Capability" }}
        />
        {matrix.rows.length === 0 ? (
          <p>No site fits.</p>
        ) : (
          <MatrixTable matrix={matrix} isWhole={isNarrowed} />
        )}
        {/* Says what a narrow page leaves out: sites where nothing is but Working. */}
        {working.length === 0 || isNarrowed ? null : (
          <p class="note matrix-rest">
            {countOf(working.length, "more site")}: everything in{" "}
            {working.length === 1 ? "its row" : "their rows"} is Working.
          </p>
        )}
        <Pager paging={matrix.paging} what="sites" href={(page) => integrationsHref({ ...query, page })} />
      </div>
    </Block>
  );
}

/** It scrolls by itself where it is wider than its page, by keyboard too; on a narrow page it folds to what is not Working, unless it was asked for. */
function MatrixTable({ matrix, isWhole }: { readonly matrix: Matrix; readonly isWhole: boolean }) {
  const groups = [...Map.groupBy(matrix.columns, ({ provider }) => provider)];
  const firsts = new Set(groups.map(([, [first]]) => first?.capability));
  return (
    <div class="scroll" role="region" aria-label="Sites by capabilities" tabindex={0}>
      <table class={isWhole ? "matrix whole" : "matrix"} role="table">
        <caption class="vh">Sites by capabilities, the worst first</caption>
        <thead role="rowgroup">
          <tr role="row">
            <td role="cell" />
            {groups.map(([provider, columns]) => (
              <th scope="colgroup" role="columnheader" colspan={columns.length} class="grp">
                {providerName(provider)}
              </th>
            ))}
          </tr>
          <tr role="row">
            <th scope="col" role="columnheader">
              Site, <small>working of watched</small>
            </th>
            {matrix.columns.map((column) => (
              <th
                scope="col"
                role="columnheader"
                class={firsts.has(column.capability) ? "grp" : undefined}
                id={`column-${capabilityId(column.capability)}`}
              >
                {shortLabel(column.label)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {matrix.rows.map((row) => (
            <Row row={row} columns={matrix.columns} firsts={firsts} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row(props: {
  readonly row: Matrix["rows"][number];
  readonly columns: readonly CapabilityView[];
  readonly firsts: ReadonlySet<string | undefined>;
}) {
  const { row, columns, firsts } = props;
  const { asset, health, cells } = row;
  return (
    <tr role="row" id={`matrix-${asset}`}>
      <th scope="row" role="rowheader">
        <SiteLink asset={asset} leads />{" "}
        <small>
          {formatCount(health.working)} of {formatCount(health.monitored)}
        </small>
      </th>
      {columns.map((column, place) => {
        const target = cells[place];
        const name = firsts.has(column.capability) ? "grp" : undefined;
        return target === undefined ? (
          <td role="cell" class={name === undefined ? "off" : `${name} off`}>
            <span class="dim" aria-hidden="true">
              –
            </span>
            <Unseen>not set up</Unseen>
          </td>
        ) : (
          <td role="cell" class={name} data-l={column.label}>
            <Cell target={target} column={column} />
          </td>
        );
      })}
    </tr>
  );
}

/** A state that leads to what proves it; the same stands in the title. */
function Cell({ target, column }: { target: TargetView; column: CapabilityView }) {
  const { now } = here();
  const { asset, state, coveredDate } = target;
  // To which day reports are archived says little beside the daily figures, and would make the table wider than a page.
  const isTold = coveredDate !== null && capabilityOf(column.capability)?.ofReports !== true;
  const covered = isTold ? parseUtcDay(coveredDate) : undefined;
  return (
    <a
      href={`${paths.siteIntegrations(asset)}#${capabilityId(column.capability)}`}
      title={proofWords(target, now)}
    >
      <StateMark state={state} />
      {covered === undefined ? null : <small>to {formatDay(covered, now)}</small>}
    </a>
  );
}
