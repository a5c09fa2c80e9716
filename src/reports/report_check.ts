/** What the rows, the bodies and the packs of one kind of report say against each other. Reads only. */

import { messageOf } from "../base/text.ts";
import { unpacked } from "../store/packs.ts";
import { assertAscending } from "../store/read_model.ts";
import { type Db, statement } from "../store/store.ts";
import { type Pack, type PackedBody, type ReportKind, unpack } from "./reports.ts";

/** Rows looked at in one step. */
const ROWS = 1_000;

/** Finds reports whose body is gone, stands twice or is of another site, and packs that are not as they were written. */
export function bodyCheck({ rows, bodies, packs }: ReportKind): (db: Db) => Generator<string> {
  const assetsOf = statement<{ id: number; asset: string }, [string]>(
    `SELECT id, asset FROM ${rows} WHERE id IN (SELECT value FROM json_each(?))`,
  );
  const lastId = statement<{ id: number | null }, []>(`SELECT max(id) AS id FROM ${rows}`);
  const packAfter = statement<Pack, [number]>(
    `SELECT id, asset, first, last, bodies, bytes, data, checksum FROM ${packs} WHERE id > ? ORDER BY id LIMIT 1`,
  );
  const looseAfter = statement<{ id: number; asset: string }, [number, number]>(
    `SELECT id, asset FROM ${bodies} WHERE id > ? ORDER BY id LIMIT ?`,
  );
  const idsAfter = statement<{ id: number }, [number, number]>(
    `SELECT id FROM ${rows} WHERE id > ? ORDER BY id LIMIT ?`,
  );

  function* packsWithFaults(db: Db, seen: Uint8Array): Generator<string> {
    for (let after = 0; ; ) {
      const pack = packAfter(db).first(after);
      if (pack === undefined) return;
      after = assertAscending(packs, after, pack.id);
      let held: PackedBody[];
      try {
        held = unpacked(packs, pack, unpack);
      } catch (error) {
        yield messageOf(error);
        continue;
      }
      if (held[0]?.id !== pack.first || held.at(-1)?.id !== pack.last || held.length !== pack.bodies) {
        yield `${packs}, row ${pack.id}: it does not hold what it says`;
      }
      yield* faultsOf(
        db,
        pack.asset,
        held.map(({ id }) => id),
        seen,
      );
    }
  }

  function* looseWithFaults(db: Db, seen: Uint8Array): Generator<string> {
    for (let after = 0; ; ) {
      const loose = looseAfter(db).all(after, ROWS);
      const last = loose.at(-1);
      if (last === undefined) return;
      after = assertAscending(bodies, after, last.id);
      for (const { id, asset } of loose) yield* faultsOf(db, asset, [id], seen);
    }
  }

  function* faultsOf(db: Db, asset: string, held: readonly number[], seen: Uint8Array): Generator<string> {
    const assets = new Map(
      assetsOf(db)
        .all(JSON.stringify(held))
        .map((row) => [row.id, row.asset]),
    );
    for (const id of held) {
      const of = assets.get(id);
      if (of === undefined) yield `${rows}, row ${id}: there is a body, but no report`;
      else if (of !== asset) yield `${rows}, row ${id}: its body is of another site`;
      else if (seen[id] === 1) yield `${rows}, row ${id}: its body stands twice`;
      seen[id] = 1;
    }
  }

  function* rowsWithoutBody(db: Db, seen: Uint8Array): Generator<string> {
    for (let after = 0; ; ) {
      const ids = idsAfter(db).all(after, ROWS);
      const last = ids.at(-1);
      if (last === undefined) return;
      after = assertAscending(rows, after, last.id);
      for (const { id } of ids) if (seen[id] !== 1) yield `${rows}, row ${id}: its body is gone`;
    }
  }

  return function* (db) {
    const seen = new Uint8Array((lastId(db).first()?.id ?? 0) + 1);
    yield* packsWithFaults(db, seen);
    yield* looseWithFaults(db, seen);
    yield* rowsWithoutBody(db, seen);
  };
}
