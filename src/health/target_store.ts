import { type Db, prepared, statement, type Tx } from "../db/mod.ts";
import type { Scope } from "./contract.ts";
import { familyOf } from "./family.ts";

type Key = [
  workspace: string,
  provider: string,
  connectionRevision: string,
  capability: string,
  asset: string,
  target: string,
  family: string,
];

const keyOf = (scope: Scope): Key => [
  scope.workspace,
  scope.provider,
  scope.connectionRevision,
  scope.capability,
  scope.asset,
  scope.target,
  scope.family,
];

const find = statement<{ id: number }, Key>(
  `SELECT id FROM health_target WHERE workspace = ? AND provider = ? AND connection_revision = ? AND capability = ?
   AND asset = ? AND target = ? AND family = ?`,
);

const insert = statement<{ id: number }, Key>(
  `INSERT INTO health_target (workspace, provider, connection_revision, capability, asset, target, family)
   VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id`,
);

/** The number of a target; undefined where no outcome of it was ever recorded. */
export function findTarget(db: Db, scope: Scope): number | undefined {
  return find(db).first(...keyOf(scope))?.id;
}

/**
 * The number of a target, given to it with its first outcome. Throws a RangeError where a part of the scope is no id: what is no id
 * may be a secret, and is not written down.
 */
export function targetId(tx: Tx, scope: Scope): number {
  const known = findTarget(tx, scope);
  if (known !== undefined) return known;
  const part = scopeFault(scope);
  if (part !== undefined) throw new RangeError(`the ${part} of a health record is no id`);
  const id = insert(tx).all(...keyOf(scope))[0]?.id;
  if (id === undefined) throw new Error("a target of health has no row");
  return id;
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
const OPAQUE = /^[0-9A-Za-z_-]{0,64}$/;
const PARTS = [
  ["workspace", NAME],
  ["provider", /^[a-z-]{1,64}$/],
  ["connectionRevision", OPAQUE],
  ["capability", /^[a-z.-]{1,64}$/],
  ["asset", new RegExp(`${NAME.source}|^$`)],
  ["target", OPAQUE],
] as const;

/** The part of a scope that is no id; undefined where all are. */
export function scopeFault(scope: Scope): string | undefined {
  const part = PARTS.find(([name, shape]) => !shape.test(scope[name]))?.[0];
  if (part !== undefined) return part;
  return scope.family === "" || familyOf(scope.family) !== undefined ? undefined : "family";
}

/** A scope as it is read. */
export type ScopeRow = Omit<Scope, "connectionRevision"> & { readonly connection_revision: string };
type TargetRow = ScopeRow & { readonly id: number };

export const SCOPE_COLUMNS =
  "workspace, provider, connection_revision, capability, asset, health_target.target AS target, family";

export const scopeOf = ({
  workspace,
  provider,
  connection_revision,
  capability,
  asset,
  target,
  family,
}: ScopeRow): Scope => ({
  workspace,
  provider,
  connectionRevision: connection_revision,
  capability,
  asset,
  target,
  family,
});

const after = statement<TargetRow, [number]>(
  `SELECT id, workspace, provider, connection_revision, capability, asset, target, family FROM health_target
   WHERE id > ? AND family = '' ORDER BY id`,
);

interface Known {
  last: number;
  readonly scopes: Map<number, Scope>;
  readonly ofAsset: Map<string, number[]>;
}

/** Targets never change: what was read once is kept. */
const known = prepared((): Known => ({ last: 0, scopes: new Map(), ofAsset: new Map() }));

function allOf(db: Db): Known {
  const kept = known(db);
  for (const { id, connection_revision, ...rest } of after(db).all(kept.last)) {
    kept.scopes.set(id, { ...rest, connectionRevision: connection_revision });
    const siblings = kept.ofAsset.get(rest.asset);
    if (siblings === undefined) kept.ofAsset.set(rest.asset, [id]);
    else siblings.push(id);
    kept.last = id;
  }
  return kept;
}

/** Every target but archive reports by its number. Not inside a transaction that may be taken back. */
export function scopesById(db: Db): ReadonlyMap<number, Scope> {
  return allOf(db).scopes;
}

/** The numbers of a site's targets but for archive reports. Not inside a transaction that may be taken back. */
export function targetsOfAsset(db: Db, asset: string): readonly number[] {
  return allOf(db).ofAsset.get(asset) ?? [];
}
