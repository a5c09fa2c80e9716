/** The reports that the sites of the demo send: the nights up to now, and one now and then while it runs. */
import type { World } from "../simulator/mod.ts";
import { DAY_MS, dayAt } from "./history.ts";
import { type Counter, counterOf, nightlyReport } from "./nightly.ts";
import { PORTFOLIO } from "./portfolio.ts";
import { post } from "./send.ts";
import type { DemoSite } from "./site.ts";

const MINUTE_MS = 60_000;

/** How the sites of a demo reach its ingest. */
export interface Sending {
  readonly madeAt: number;
  readonly world: World;
  readonly ingestUrl: string;
  readonly tokens: Readonly<Record<string, string>>;
}

/** The newest day whose night has come for every site. */
export function lastNight(now: number): number {
  const latest = Math.max(...PORTFOLIO.map(({ reports }) => reports?.minute ?? 0));
  return Math.floor((now - latest * MINUTE_MS) / DAY_MS);
}

export class NightlySender {
  readonly #sending: Sending;
  readonly #counters = new Map<string, Counter>();

  constructor(sending: Sending) {
    this.#sending = sending;
  }

  /** Sends every night after day `after` that has come by `now`, each site's in order and the sites side by side. How many there were. */
  async catchUp(after: number, now: number): Promise<number> {
    const sent = await Promise.all(
      PORTFOLIO.map(async (site) => {
        const nights = this.#nightsOf(site, after, now);
        for (const at of nights) await this.#send(site, at);
        return nights.length;
      }),
    );
    return sent.reduce((sum, count) => sum + count, 0);
  }

  /** Sends one more report of the `turn`-th site that still reports, of the 24 hours up to now. Which site it was. */
  async sendOne(turn: number, now: number): Promise<string> {
    const sending = PORTFOLIO.filter(({ reports }) => reports !== undefined && reports.to === undefined);
    const site = sending[turn % sending.length];
    if (site === undefined) throw new RangeError("no site of the demo reports");
    await this.#send(site, now);
    return site.id;
  }

  /** The moments of a site's reports in order. */
  #nightsOf({ reports }: DemoSite, after: number, now: number): readonly number[] {
    if (reports === undefined) return [];
    const { madeAt } = this.#sending;
    const first = Math.max(after + 1, dayAt(madeAt, reports.from));
    const last = reports.to === undefined ? Math.floor(now / DAY_MS) : dayAt(madeAt, reports.to);
    return Array.from(
      { length: Math.max(0, last - first + 1) },
      (_, place) => (first + place) * DAY_MS + reports.minute * MINUTE_MS,
    ).filter((at) => at <= now);
  }

  #send(site: DemoSite, at: number): Promise<void> {
    const { ingestUrl, tokens } = this.#sending;
    return post(
      `${ingestUrl}/api/pulse`,
      tokens[site.id] ?? "",
      nightlyReport(site, this.#counterOf(site), at),
    );
  }

  #counterOf(site: DemoSite): Counter {
    const known = this.#counters.get(site.id);
    if (known !== undefined) return known;
    const simulated = this.#sending.world.sites.find(({ name }) => name === site.id);
    if (simulated === undefined) throw new RangeError(`the world has no site ${site.id}`);
    const made = counterOf(site, simulated, this.#sending.madeAt);
    this.#counters.set(site.id, made);
    return made;
  }
}
