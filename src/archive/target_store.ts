import { type Db, prepared, statement, type Tx } from "../db/mod.ts";
import type { Provider } from "../provider/contract.ts";
import type { ArchiveTarget } from "./contract.ts";

/** A target with its number. */
export interface NumberedTarget extends ArchiveTarget {
  readonly id: number;
}

/** What targets are narrowed to; what is undefined narrows nothing. */
export interface WantedTargets {
  readonly asset?: string | undefined;
  readonly provider?: Provider | undefined;
  readonly family?: string | undefined;
}

type Key = [asset: string, provider: string, connectionRevision: string, property: string, family: string];

const keyOf = ({ asset, provider, connectionRevision, property, family }: ArchiveTarget): Key => [
  asset,
  provider,
  connectionRevision,
  property,
  family,
];

const find = statement<{ id: number }, Key>(
  "SELECT id FROM archive_target WHERE asset = ? AND provider = ? AND connection_revision = ? AND property = ? AND family = ?",
);
const insert = statement<{ id: number }, Key>(
  `INSERT INTO archive_target (asset, provider, connection_revision, property, family) VALUES (?, ?, ?, ?, ?)
   RETURNING id`,
);

/** The number of a target, given to it at its first attempt. */
export function targetId(tx: Tx, target: ArchiveTarget): number {
  const key = keyOf(target);
  const known = find(tx).first(...key);
  if (known !== undefined) return known.id;
  const id = insert(tx).all(...key)[0]?.id;
  if (id === undefined) throw new Error("a target has no row");
  return id;
}

/** The number of a target; undefined where nothing was ever tried of it. */
export function findTarget(db: Db, target: ArchiveTarget): number | undefined {
  return find(db).first(...keyOf(target))?.id;
}

interface TargetRow extends Pick<ArchiveTarget, "asset" | "provider" | "property" | "family"> {
  readonly id: number;
  readonly connection_revision: string;
}

const after = statement<TargetRow, [number]>(
  "SELECT id, asset, provider, connection_revision, property, family FROM archive_target WHERE id > ? ORDER BY id",
);

/** Targets never change: what was read once is kept, by number and by site. */
const known = prepared(() => ({
  last: 0,
  byId: new Map<number, NumberedTarget>(),
  byAsset: new Map<string, NumberedTarget[]>(),
}));

/** Every target by its number. */
export function targetsById(db: Db): ReadonlyMap<number, NumberedTarget> {
  return refreshed(db).byId;
}

function refreshed(db: Db) {
  const targets = known(db);
  for (const { connection_revision: connectionRevision, ...row } of after(db).all(targets.last)) {
    const target = { ...row, connectionRevision };
    targets.last = row.id;
    targets.byId.set(row.id, target);
    const ofAsset = targets.byAsset.get(row.asset);
    if (ofAsset === undefined) targets.byAsset.set(row.asset, [target]);
    else ofAsset.push(target);
  }
  return targets;
}

/** The targets that were ever tried, of those wanted, in the order of their numbers: those of connections that are gone, too. */
export function listTargets(
  db: Db,
  { asset, provider, family }: WantedTargets = {},
): readonly NumberedTarget[] {
  const { byId, byAsset } = refreshed(db);
  const all = asset === undefined ? [...byId.values()] : (byAsset.get(asset) ?? []);
  if (provider === undefined && family === undefined) return all;
  return all.filter(
    (target) =>
      (provider === undefined || target.provider === provider) &&
      (family === undefined || target.family === family),
  );
}
