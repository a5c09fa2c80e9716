/** Bodies where they lie: as they came, or in a pack. */
import { DamagedRow, type Db, prepared, statement, type Tx } from "../db/mod.ts";
import { messageOf } from "../lib/thrown.ts";
import type { ReportKind } from "./kind.ts";
import { type Pack, unpackStored } from "./pack.ts";

/** A report, as far as its body is found by it. */
export interface BodyOf {
  readonly id: number;
  readonly asset: string;
}

/** The pack that a connection read last: the reports of one page, or of one site, mostly lie in one. */
interface Unpacked {
  readonly id: number;
  readonly bodies: ReadonlyMap<number, Buffer>;
}

const NONE: Unpacked = { id: 0, bodies: new Map() };

/** The bodies of a kind. */
export interface BodyStore {
  /** Keeps the body of the report inserted by the statement before. */
  append(tx: Tx, asset: string, body: string): void;
  /** A report's body as it was sent. Throws when it is gone, and where its pack is damaged. */
  read(db: Db, report: BodyOf): string;
}

/** The bodies of one kind of report. */
export function bodyStore({ bodies, packs, called }: ReportKind): BodyStore {
  const insert = statement<never, [string, string]>(
    `INSERT INTO ${bodies} (id, asset, body) VALUES (last_insert_rowid(), ?, ?)`,
  );
  const loose = statement<{ body: string }, [number]>(`SELECT body FROM ${bodies} WHERE id = ?`);
  // One statement: between two of them the pack could make way for one that holds more. What was read last is not read again.
  const holding = statement<Omit<Pack, "data"> & { data: Uint8Array | null }, [number, string, number]>(
    `SELECT id, asset, first, last, bodies, bytes, checksum, CASE WHEN id = ? THEN NULL ELSE data END AS data FROM ${packs}
     WHERE asset = ? AND last >= ? ORDER BY last LIMIT 1`,
  );
  const lastRead = prepared(() => ({ pack: NONE }));

  function packed(db: Db, { id, asset }: BodyOf): Buffer | undefined {
    const kept = lastRead(db);
    const pack = holding(db).first(kept.pack.id, asset, id);
    if (pack === undefined) return undefined;
    const { data } = pack;
    if (data !== null) kept.pack = { id: pack.id, bodies: bodiesOf({ ...pack, data }) };
    return kept.pack.bodies.get(id);
  }

  /** A changed byte of a pack may change any of its bodies, and still leave them to be unpacked. */
  function bodiesOf(pack: Pack): ReadonlyMap<number, Buffer> {
    try {
      return new Map(unpackStored(pack).map(({ id, body }) => [id, body]));
    } catch (error) {
      throw new DamagedRow(`${packs}, row ${pack.id}: ${messageOf(error)}`);
    }
  }

  return {
    append: (tx, asset, body) => insert(tx).run(asset, body),
    read: (db, report) => {
      // In this order: a body that is packed in between is found in its pack.
      const body = loose(db).first(report.id)?.body ?? packed(db, report)?.toString("utf8");
      if (body === undefined)
        throw new DamagedRow(`the body of ${called} ${report.id} of ${report.asset} is gone`);
      return body;
    },
  };
}

/** A body that is not packed, by its report. */
export interface Loose {
  readonly id: number;
  readonly asset: string;
  readonly bytes: number;
  readonly received_at: number;
}

/** What packing a kind reads and writes. */
export function packStore(kind: ReportKind) {
  const { bodies, packs } = kind;
  const newest = statement<Pack, [string]>(
    `SELECT id, asset, first, last, bodies, bytes, data, checksum FROM ${packs} WHERE asset = ? ORDER BY last DESC LIMIT 1`,
  );
  const looseAfter = statement<Loose, [number, number]>(
    `SELECT b.id, b.asset, octet_length(b.body) AS bytes, r.received_at
     FROM ${bodies} b JOIN ${kind.rows} r ON r.id = b.id WHERE b.id > ? ORDER BY b.id LIMIT ?`,
  );
  const bodyOf = statement<{ body: string }, [number]>(`SELECT body FROM ${bodies} WHERE id = ?`);
  const isThere = statement<{ loose: number; grown: number }, [string, string, number]>(
    `SELECT (SELECT count(*) FROM json_each(?) one JOIN ${bodies} b ON b.id = one.value) AS loose,
       (SELECT count(*) FROM ${packs} WHERE asset = ? AND id = ?) AS grown`,
  );
  const insertPack = statement<never, [string, number, number, number, number, Uint8Array, number]>(
    `INSERT INTO ${packs} (asset, first, last, bodies, bytes, data, checksum) VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  const deletePack = statement<never, [number]>(`DELETE FROM ${packs} WHERE id = ?`);
  const deleteLoose = statement<never, [string]>(
    `DELETE FROM ${bodies} WHERE id IN (SELECT value FROM json_each(?))`,
  );
  return { newest, looseAfter, bodyOf, isThere, insertPack, deletePack, deleteLoose };
}

/** What packing a kind reads and writes. */
export type PackStore = ReturnType<typeof packStore>;
