/** What is archived of a property over a connection. The same object for as long as nothing of it is another. */

import type { Provider } from "../providers/adapter.ts";
import { REPORT_FAMILIES } from "../providers/report_families.ts";
import { type Db, statement } from "../store/store.ts";
import { listTargets, type NumberedTarget, targetsById } from "./plan.ts";
import { type ReportFacts, readFacts } from "./report_facts.ts";

export interface PropertyArchive {
  readonly asset: string;
  readonly provider: Provider;
  readonly connectionRevision: string;
  readonly property: string;
  /** The reports that were ever tried, in the order of the families, without those that are left out. */
  readonly reports: readonly ReportFacts[];
  /** Names of families that are left out since the property is not set up for them. */
  readonly skipped: ReadonlySet<string>;
}

/** What is archived, by site. */
export type ArchiveBySite = ReadonlyMap<string, readonly PropertyArchive[]>;

/**
 * How much is read: what attempts were added to since the last read; this and a part of the rest, so that all of it is read anew within an
 * hour; or all of it, whatever was read before.
 */
export type RefreshScope = "changed" | { readonly part: number } | "all";

/** The parts of which all of it is made. */
const PARTS = 60;
/** With more new attempts than that, reading all of it is cheaper than asking for each. */
const MOST_CHANGED = 2_000;
/** Reports that are read in one turn: some milliseconds. */
const SLICE = 256;

const newest = statement<{ id: number | null }, []>("SELECT max(id) AS id FROM archive_report");
const triedSince = statement<{ target: number }, [number]>("SELECT target FROM archive_report WHERE id > ?");
const leftOut = statement<{ target: number }, []>("SELECT target FROM archive_skip");

const PLACE = new Map(REPORT_FAMILIES.map((family, place) => [family, place]));

/** Reads what is archived from one connection, and keeps it: with a year of a thousand sites there are 25,000 reports that hardly change. */
export class ArchiveFacts {
  readonly #db: Db;
  /** The last attempt that was read; undefined where nothing that was read can be relied on. */
  #last: number | undefined;
  #facts = new Map<number, ReportFacts>();
  #skipped: ReadonlySet<number> = new Set();
  #bySite: ArchiveBySite = new Map();

  /** Not for a connection inside a transaction that may be taken back, but to be read once. */
  constructor(db: Db) {
    this.#db = db;
  }

  /**
   * Reads ahead of who asks next, a little in each turn (`turn` resolves in the next one): what came since the last read, or all of it where it was
   * never read, or too much came.
   */
  async keepUp(turn: () => Promise<void>): Promise<void> {
    const since = this.#last;
    const last = newest(this.#db).first()?.id ?? 0;
    if (since !== undefined && since <= last && last - since <= MOST_CHANGED) {
      this.read("changed");
      return;
    }
    const targets = targetsById(this.#db);
    const ids = [...targets.keys()];
    const facts = new Map<number, ReportFacts>();
    for (let place = 0; place < ids.length; place += SLICE) {
      for (const one of readFacts(this.#db, targets, ids.slice(place, place + SLICE)))
        facts.set(one.target, one);
      await turn();
      // Somebody who could not wait has read all of it.
      if (this.#last !== since) return;
    }
    this.#facts = facts;
    this.#skipped = this.#leftOut();
    this.#bySite = this.#gathered(targets.values());
    this.#last = last;
  }

  /** What is archived: the same map for as long as nothing of it is another. Throws what the database throws, and then reads all anew. */
  read(anew: RefreshScope): ArchiveBySite {
    const since = anew === "all" ? undefined : this.#last;
    this.#last = undefined;
    const last = newest(this.#db).first()?.id ?? 0;
    const targets = targetsById(this.#db);
    if (since === undefined || last < since || last - since > MOST_CHANGED) {
      this.#facts = new Map(readFacts(this.#db, targets).map((facts) => [facts.target, facts]));
      this.#skipped = this.#leftOut();
      this.#bySite = this.#gathered(targets.values());
    } else {
      const tried = new Set(
        triedSince(this.#db)
          .all(since)
          .map(({ target }) => target),
      );
      const skipped = this.#leftOut();
      const changed = skipped.symmetricDifference(this.#skipped);
      this.#skipped = skipped;
      const isInPart = (id: number) => typeof anew !== "string" && id % PARTS === anew.part % PARTS;
      const wanted = tried.union(new Set([...targets.keys()].filter(isInPart)));
      for (const facts of readFacts(this.#db, targets, [...wanted])) {
        if (Bun.deepEquals(this.#facts.get(facts.target), facts)) continue;
        this.#facts.set(facts.target, facts);
        changed.add(facts.target);
      }
      if (changed.size > 0) this.#follow(targets, changed);
    }
    this.#last = last;
    return this.#bySite;
  }

  #leftOut(): ReadonlySet<number> {
    return new Set(
      leftOut(this.#db)
        .all()
        .map(({ target }) => target),
    );
  }

  /** Makes the properties anew that some reports are of; all others stay as they are. */
  #follow(targets: ReadonlyMap<number, NumberedTarget>, changed: ReadonlySet<number>): void {
    const sites = new Set([...changed].flatMap((id) => targets.get(id)?.asset ?? []));
    const anew = this.#gathered([...sites].flatMap((asset) => listTargets(this.#db, { asset })));
    const kept = [...anew].map(([asset, archives]) => {
      const before = this.#bySite.get(asset) ?? [];
      return [asset, archives.map((one) => before.find((same) => Bun.deepEquals(same, one)) ?? one)] as const;
    });
    this.#bySite = new Map([...this.#bySite, ...kept]);
  }

  #gathered(of: Iterable<NumberedTarget>): Map<string, PropertyArchive[]> {
    const bySite = new Map<string, (PropertyArchive & { reports: ReportFacts[]; skipped: Set<string> })[]>();
    for (const { id, asset, provider, connectionRevision, property, family } of of) {
      const facts = this.#facts.get(id);
      const isSkipped = this.#skipped.has(id);
      if (facts === undefined && !isSkipped) continue;
      const archives = bySite.get(asset) ?? [];
      bySite.set(asset, archives);
      const key = { asset, provider, connectionRevision, property };
      let archive = archives.find((one) => isSameProperty(one, key));
      if (archive === undefined) {
        archive = { ...key, reports: [], skipped: new Set() };
        archives.push(archive);
      }
      if (isSkipped) archive.skipped.add(family);
      else if (facts !== undefined) archive.reports.push(facts);
    }
    for (const archives of bySite.values()) {
      for (const { reports } of archives) reports.sort(byFamily);
    }
    return bySite;
  }
}

/** What tells properties of one site apart. */
export type PropertyKey = Pick<PropertyArchive, "provider" | "connectionRevision" | "property">;

/** Whether two properties of a site are the same one. */
export const isSameProperty = (one: PropertyKey, other: PropertyKey): boolean =>
  one.provider === other.provider &&
  one.property === other.property &&
  one.connectionRevision === other.connectionRevision;

const byFamily = (a: ReportFacts, b: ReportFacts): number =>
  (PLACE.get(a.family) ?? 0) - (PLACE.get(b.family) ?? 0);
