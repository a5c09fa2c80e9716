/** The latest refused report of each site, in memory: so that a new site's page can say why nothing arrives. */

/** A refused report. */
export interface RefusedReport {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly reason: string;
}

/** Sites remembered at most; the oldest are forgotten. */
const MOST_SITES = 2_000;

export class RefusedReports {
  readonly #latest = new Map<string, RefusedReport>();

  /** Notes a refusal for the site whose token was used. */
  note(asset: string, refused: RefusedReport): void {
    this.#latest.delete(asset);
    this.#latest.set(asset, refused);
    const [oldest] = this.#latest.keys();
    if (this.#latest.size > MOST_SITES && oldest !== undefined) this.#latest.delete(oldest);
  }

  find(asset: string): RefusedReport | undefined {
    return this.#latest.get(asset);
  }
}
