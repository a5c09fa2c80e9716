/** What concerns no site, and so stands on no tile: checks of accounts, and senders. Pure. */
import type { HealthView } from "../../integrations/mod.ts";
import { STATE_WORDS } from "../component/state.tsx";
import { formatCount } from "../format.ts";
import { ATTENTION } from "./tile.ts";

export interface Beside {
  /** The worst of it. */
  readonly state: (typeof ATTENTION)[number];
  /** "Accounts and senders: 1 failing, 2 stale". */
  readonly words: string;
}

/** What is wrong there; null where nothing is. A question that fails for a whole account stands on the tiles of its sites. */
export function besideSites({ capabilities }: HealthView): Beside | null {
  const states = capabilities
    .filter(({ kind }) => kind !== "production_read" && kind !== "on_demand")
    .flatMap(({ targets }) => targets.filter(({ asset }) => asset === "").map(({ state }) => state));
  const counts = ATTENTION.map((state) => [state, states.filter((one) => one === state).length] as const);
  const present = counts.filter(([, count]) => count > 0);
  const [worst] = present;
  if (worst === undefined) return null;
  const words = present.map(([state, count]) => `${formatCount(count)} ${STATE_WORDS[state].toLowerCase()}`);
  return { state: worst[0], words: `Accounts and senders: ${words.join(", ")}` };
}
