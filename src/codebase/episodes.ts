/**
 * Each report resolves a rule's own alert and raises a new one while the rule still fires. To a reader that is one
 * lasting condition: alerts of one rule that follow each other at the same instant are told as one.
 */

/** What joins alerts: the rule, and the instants of raising and resolving. */
export interface EpisodeAlert {
  readonly rule: string;
  /** Milliseconds since the epoch. */
  readonly raisedAt: number;
  readonly resolvedAt: number | null;
}

/** The newest alert of a lasting condition, with when it began and over how many reports it held. */
export type Held<A extends EpisodeAlert> = A & { readonly heldSince: number; readonly heldReports: number };

/** The lasting conditions among the alerts, newest first, each as its newest alert. */
export function episodesOf<A extends EpisodeAlert>(alerts: readonly A[]): Held<A>[] {
  const episodes: Held<A>[] = [];
  for (const ofRule of Map.groupBy(alerts, (alert) => alert.rule).values()) {
    let last: Held<A> | undefined;
    for (const alert of [...ofRule].sort((one, other) => one.raisedAt - other.raisedAt)) {
      const follows = last !== undefined && last.resolvedAt === alert.raisedAt;
      if (last !== undefined && !follows) episodes.push(last);
      last = {
        ...alert,
        heldSince: follows && last !== undefined ? last.heldSince : alert.raisedAt,
        heldReports: follows && last !== undefined ? last.heldReports + 1 : 1,
      };
    }
    if (last !== undefined) episodes.push(last);
  }
  return episodes.sort((one, other) => other.raisedAt - one.raisedAt);
}
