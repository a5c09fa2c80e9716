/** What a walk raised, one line a lasting thing: to be read line by line. */

import type { FlagRow } from "../../src/flags/flags.ts";
import { dayNumberOf } from "./day_of_story.ts";
import type { Walked } from "./portfolio_walk.ts";

/** One lasting thing: a flag and the ones that renewed it. */
export interface Chain {
  readonly asset: string;
  readonly rule: string;
  readonly subject: string;
  /** Flags of the chain, oldest first. */
  readonly flags: readonly FlagRow[];
  /** Readings in their evidence records. */
  readonly evidence: number;
}

/** The chains of all flags, by site and time. */
export async function chainsOf({ service }: Walked): Promise<Chain[]> {
  const flags = (await service.list<FlagRow>("/api/flags")).reverse();
  const evidence = new Map(
    service.deps.store.raw
      .query<{ flag: string; n: number }, []>(
        "SELECT flag, count(*) AS n FROM flag_record WHERE type = 'evidence' GROUP BY flag",
      )
      .all()
      .map(({ flag, n }) => [flag, n]),
  );
  const chains: FlagRow[][] = [];
  const chainOf = new Map<string, FlagRow[]>();
  for (const flag of flags) {
    const chain = flag.renews === null ? undefined : chainOf.get(flag.renews);
    const own = chain ?? [];
    if (chain === undefined) chains.push(own);
    own.push(flag);
    chainOf.set(flag.id, own);
  }
  return chains
    .map((own) => ({
      asset: own[0]?.asset ?? "",
      rule: own[0]?.rule ?? "(sent)",
      subject: own[0]?.subject ?? "",
      flags: own,
      evidence: own.reduce((sum, { id }) => sum + (evidence.get(id) ?? 0), 0),
    }))
    .sort((a, b) => (a.asset === b.asset ? 0 : a.asset < b.asset ? -1 : 1));
}

/** The table as text. */
export function tableOf(chains: readonly Chain[]): string {
  return chains
    .map(({ asset, rule, subject, flags, evidence }) => {
      const [first, last] = [flags[0], flags.at(-1)];
      const from = dayNumberOf(first?.raised_at);
      const to =
        last?.resolved_at === null ? "open" : `${dayNumberOf(last?.resolved_at)} ${last?.resolution}`;
      const marks = [
        last?.acked_at === null ? "" : "acked",
        last?.incident ?? "",
        `${flags.length} flag${flags.length === 1 ? "" : "s"}`,
        `${evidence} readings`,
      ];
      return [asset, rule, subject, last?.severity, `day ${from} to ${to}`, ...marks, last?.message].join(
        " | ",
      );
    })
    .join("\n");
}
