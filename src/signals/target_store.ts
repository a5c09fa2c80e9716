import { type Db, prepared, statement, type Tx } from "../db/mod.ts";
import type { AskedTarget } from "./contract.ts";

type Key = [asset: string, provider: string, connectionRevision: string, property: string, timeZone: string];

const keyOf = ({ asset, provider, connectionRevision, property, timeZone }: AskedTarget): Key => [
  asset,
  provider,
  connectionRevision,
  property,
  timeZone,
];

const find = statement<{ id: number }, Key>(
  "SELECT id FROM pull_target WHERE asset = ? AND provider = ? AND connection_revision = ? AND property = ? AND time_zone = ?",
);

const insert = statement<{ id: number }, Key>(
  `INSERT INTO pull_target (asset, provider, connection_revision, property, time_zone) VALUES (?, ?, ?, ?, ?)
   RETURNING id`,
);

/** The number of a target, given to it when it is first asked. */
export function targetId(tx: Tx, target: AskedTarget): number {
  const key = keyOf(target);
  const known = find(tx).first(...key);
  if (known !== undefined) return known.id;
  const id = insert(tx).all(...key)[0]?.id;
  if (id === undefined) throw new Error("a target has no row");
  return id;
}

/** The number of a target; undefined where it was never asked. */
export function findTarget(db: Db, target: AskedTarget): number | undefined {
  return find(db).first(...keyOf(target))?.id;
}

interface TargetRow {
  readonly id: number;
  readonly asset: string;
  readonly provider: AskedTarget["provider"];
  readonly connection_revision: string;
  readonly property: string;
  readonly time_zone: string;
}

const after = statement<TargetRow, [number]>(
  "SELECT id, asset, provider, connection_revision, property, time_zone FROM pull_target WHERE id > ? ORDER BY id",
);

/** Targets never change: what was read once is kept. */
const known = prepared(() => new Map<number, AskedTarget>());

/** Every target by its number. */
export function targetsById(db: Db): ReadonlyMap<number, AskedTarget> {
  const targets = known(db);
  for (const row of after(db).all(targets.size)) {
    const { id, asset, provider, connection_revision, property, time_zone } = row;
    targets.set(id, {
      asset,
      provider,
      connectionRevision: connection_revision,
      property,
      timeZone: time_zone,
    });
  }
  return targets;
}
