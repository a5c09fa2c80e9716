/** Sites by capabilities: which rows and columns there are, and which of them one page shows. Pure. */
import { HEALTH_STATES, type HealthState } from "../../health/contract.ts";
import type { CapabilityView, HealthView, SiteHealth, TargetView } from "../../integrations/mod.ts";
import { type Paging, pageOf } from "../component/pager.tsx";
import type { IntegrationsQuery } from "./query.ts";

const PAGE_SIZE = 50;

/** A site's row; a cell is undefined where the capability is not set up. */
export interface MatrixRow {
  readonly asset: string;
  readonly health: SiteHealth;
  readonly cells: readonly (TargetView | undefined)[];
}

export interface Matrix {
  /** In the order of the catalogue, those of one provider beside one another. */
  readonly columns: readonly CapabilityView[];
  readonly rows: readonly MatrixRow[];
  readonly paging: Paging;
  /** Which sites are shown, where the address left it open. */
  readonly sites: "all" | "not_working";
  /** Sites there are, and those with anything that is not Working. */
  readonly counts: { readonly all: number; readonly not_working: number };
}

/** Whether it is a column: what is read or sent for one site, on a schedule or by it. */
function isColumn({ kind, targets }: CapabilityView): boolean {
  return (kind === "production_read" || kind === "ingest") && targets.some(({ asset }) => asset !== "");
}

const calm: readonly HealthState[] = ["working", "idle"];

/** The matrix as the address asks for it; the worst site first. */
export function matrixOf(
  view: Pick<HealthView, "capabilities">,
  health: ReadonlyMap<string, SiteHealth>,
  query: IntegrationsQuery,
): Matrix {
  const columns = view.capabilities.filter(isColumn);
  const cells = columns.map(worstByAsset);
  const known = [...health].filter(([asset]) => cells.some((column) => column.has(asset)));
  const amiss = known.filter(([, { state }]) => !calm.includes(state));
  const sites = query.sites ?? (known.length > PAGE_SIZE && amiss.length > 0 ? "not_working" : "all");
  // A state is asked for: its sites are shown, whichever others are.
  const offered = query.state === null && sites === "not_working" ? amiss : known;
  const wanted = offered.filter(([asset]) => fits(asset, query, columns, cells));
  const { items, paging } = pageOf(wanted.toSorted(byUrgency), query.page, PAGE_SIZE);
  return {
    columns,
    rows: items.map(([asset, own]) => ({
      asset,
      health: own,
      cells: cells.map((column) => column.get(asset)),
    })),
    paging,
    sites,
    counts: { all: known.length, not_working: amiss.length },
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
