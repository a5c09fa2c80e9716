/** What the rows, the bodies and the packs of one kind of report say against each other. Reads only. */

import { messageOf } from "../base/text.ts";
import { unpacked } from "../store/packs.ts";
import { assertAscending } from "../store/read_model.ts";
import { type Db, statement } from "../store/store.ts";
import { type Pack, type ReportKind, unpack } from "./reports.ts";

/** Rows looked at in one step. */
const ROWS = 1_000;

/** Finds reports whose body is gone, and packs that are not as they were written. */
export function bodyCheck({ rows, bodies, packs }: ReportKind): (db: Db) => Generator<string> {
  const lastId = statement<{ id: number | null }, []>(`SELECT max(id) AS id FROM ${rows}`);
  const packAfter = statement<Pack, [number]>(
    `SELECT id, asset, first, last, bodies, bytes, data, checksum FROM ${packs} WHERE id > ? ORDER BY id LIMIT 1`,
  );
  const notLooseAfter = statement<{ id: number }, [number, number]>(
    `SELECT id FROM ${rows} WHERE id > ? AND id NOT IN (SELECT id FROM ${bodies}) ORDER BY id LIMIT ?`,
  );

  return function* (db) {
    const isPacked = new Uint8Array((lastId(db).first()?.id ?? 0) + 1);
    for (let after = 0; ; ) {
      const pack = packAfter(db).first(after);
      if (pack === undefined) break;
      after = assertAscending(packs, after, pack.id);
      try {
        const held = unpacked(packs, pack, unpack);
        for (const { id } of held) isPacked[id] = 1;
        if (held[0]?.id !== pack.first || held.at(-1)?.id !== pack.last || held.length !== pack.bodies)
          yield `${packs}, row ${pack.id}: it does not hold what it says`;
      } catch (error) {
        yield messageOf(error);
      }
    }
    for (let after = 0; ; ) {
      const ids = notLooseAfter(db).all(after, ROWS);
      const last = ids.at(-1);
      if (last === undefined) return;
      after = assertAscending(rows, after, last.id);
      for (const { id } of ids) if (isPacked[id] !== 1) yield `${rows}, row ${id}: its body is gone`;
    }
  };
}
