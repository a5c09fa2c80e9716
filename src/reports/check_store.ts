/** What the rows, the bodies and the packs of one kind of report say against each other. Reads only. */
import { type Db, onward, statement } from "../db/mod.ts";
import { messageOf } from "../lib/thrown.ts";
import { type ProvenRow, provenRows } from "./body_store.ts";
import { type ReportKind, reportDigester } from "./kind.ts";
import { type Pack, type PackedBody, unpack } from "./pack.ts";
import { packDigest } from "./pack_digest.ts";

/** Loose bodies held at a time. */
const BODIES = 16;
/** Rows looked at in one step. */
const ROWS = 1_000;

/** The checks of one kind. */
export interface ReportCheck {
  /** Revisions with gaps, and reports filed under another day than their own. */
  revisionFaults(db: Db): string[];
  /** Reports whose body is gone, stands twice, or is not what was sent; packs that are not as they were written. */
  bodyFaults(db: Db): Generator<string>;
}

/** The checks of a kind of report. */
export function reportCheck(kind: ReportKind): ReportCheck {
  const { rows, bodies, packs, called } = kind;
  const digestOf = reportDigester(kind);
  const gaps = statement<{ asset: string; date: string; reports: number; last: number }, []>(
    `SELECT asset, date, count(*) AS reports, max(revision) AS last FROM ${rows}
     GROUP BY asset, date HAVING count(*) <> max(revision) OR min(revision) <> 1`,
  );
  const misplaced = statement<{ asset: string; date: string; revision: number }, []>(
    `SELECT asset, date, revision FROM ${rows} WHERE date <> date(generated_at / 1000.0, 'unixepoch')`,
  );
  const rowsOf = provenRows(kind);
  const countRows = statement<{ rows: number }, []>(`SELECT count(*) AS rows FROM ${rows}`);
  const packAfter = statement<Pack & { row_digest: number }, [number]>(
    `SELECT id, asset, first, last, bodies, bytes, data, row_digest FROM ${packs} WHERE id > ? ORDER BY id LIMIT 1`,
  );
  const looseAfter = statement<{ id: number; asset: string; body: string }, [number, number]>(
    `SELECT id, asset, body FROM ${bodies} WHERE id > ? ORDER BY id LIMIT ?`,
  );
  const idsAfter = statement<{ id: number }, [number, number]>(
    `SELECT id FROM ${rows} WHERE id > ? ORDER BY id LIMIT ?`,
  );

  function* packsWithFaults(db: Db, seen: Uint8Array): Generator<string> {
    for (let after = 0; ; ) {
      const pack = packAfter(db).first(after);
      if (pack === undefined) return;
      after = onward(packs, after, pack.id);
      if (packDigest(pack) !== pack.row_digest) {
        yield `${packs}, row ${pack.id}: it is not as it was written`;
        continue;
      }
      let held: PackedBody[];
      try {
        held = unpack(pack.data);
      } catch (error) {
        yield `${packs}, row ${pack.id}: it cannot be unpacked: ${messageOf(error)}`;
        continue;
      }
      if (held[0]?.id !== pack.first || held.at(-1)?.id !== pack.last || held.length !== pack.bodies) {
        yield `${packs}, row ${pack.id}: it does not hold what it says`;
      }
      yield* faultsOf(db, pack.asset, held, seen);
    }
  }

  function* looseWithFaults(db: Db, seen: Uint8Array): Generator<string> {
    for (let after = 0; ; ) {
      const loose = looseAfter(db).all(after, BODIES);
      const last = loose.at(-1);
      if (last === undefined) return;
      after = onward(bodies, after, last.id);
      for (const { id, asset, body } of loose) {
        yield* faultsOf(db, asset, [{ id, body: Buffer.from(body) }], seen);
      }
    }
  }

  function* faultsOf(
    db: Db,
    asset: string,
    held: readonly PackedBody[],
    seen: Uint8Array,
  ): Generator<string> {
    const ids = JSON.stringify(held.map(({ id }) => id));
    const found = new Map(
      rowsOf(db)
        .all(rows, ids)
        .map((row) => [row.id, row]),
    );
    for (const { id, body } of held) {
      const fault =
        faultOf(found.get(id), asset, body) ?? (seen[id] === 0 ? undefined : "its body stands twice");
      if (fault !== undefined) yield `${rows}, row ${id}: ${fault}`;
      seen[id] = 1;
    }
  }

  function faultOf(row: ProvenRow | undefined, asset: string, body: Buffer): string | undefined {
    if (row === undefined) return "there is a body, but no report";
    if (row.digest === null) return "it carries no digest";
    const isSame = row.asset === asset && row.digest === digestOf({ ...row, body: body.toString("utf8") });
    return isSame ? undefined : "it is not as it was written";
  }

  function* rowsWithoutBody(db: Db, seen: Uint8Array): Generator<string> {
    for (let after = 0; ; ) {
      const ids = idsAfter(db).all(after, ROWS);
      const last = ids.at(-1);
      if (last === undefined) return;
      after = onward(rows, after, last.id);
      for (const { id } of ids) if (seen[id] !== 1) yield `${rows}, row ${id}: its body is gone`;
    }
  }

  return {
    revisionFaults: (db) => [
      ...gaps(db)
        .all()
        .map(
          ({ asset, date, reports, last }) =>
            `${asset} on ${date}: ${reports} ${called}s, but revision ${last}`,
        ),
      ...misplaced(db)
        .all()
        .map(
          ({ asset, date, revision }) =>
            `${asset} on ${date}, revision ${revision}: generated on another day`,
        ),
    ],
    bodyFaults: function* (db) {
      // Ids have no gaps, which is judged elsewhere; one beyond is of a damaged row, and is told with its body.
      const seen = new Uint8Array((countRows(db).first()?.rows ?? 0) + 1);
      yield* packsWithFaults(db, seen);
      yield* looseWithFaults(db, seen);
      yield* rowsWithoutBody(db, seen);
    },
  };
}
