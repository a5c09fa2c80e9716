/** One question of the archive in its turn: asked where nothing holds it back. */
import { isPaused } from "../health/mod.ts";
import { askInTurn, type InTurn, type SkipReason } from "../provider/ask_in_turn.ts";
import { askerOf, findConnectionHold, limitedUntil, type Question } from "../signals/mod.ts";
import { archiveLimitedUntil } from "./plan_store.ts";
import { archiveCapability } from "./report_health.ts";
import { DiskNearlyFull, type RunGround } from "./run_ground.ts";

/** Throws what asking and recording throw, and `DiskNearlyFull`. */
export const inTurn = <T, R>(
  ground: RunGround,
  question: Question,
  of: Pick<InTurn<T, R>, "ask" | "record" | "isRecordedLater">,
) =>
  askInTurn(ground, question, {
    ...of,
    priority: "archive",
    signal: ground.handle.signal,
    breaker: ground.breaker,
    hold: async (now) => {
      const skip = whyNot(ground, question, now);
      if (skip === undefined && (await ground.isLow())) throw new DiskNearlyFull();
      return skip;
    },
  });

function whyNot({ breaker, db, handle }: RunGround, question: Question, now: number): SkipReason | undefined {
  if (!question.isCurrent(db)) return "skipped";
  const { asset, provider } = question;
  if (isPaused(db, { capability: archiveCapability(provider), asset }, now)) return "paused";
  if (breaker.isOpen(question)) return "given_up";
  const isHeld =
    findConnectionHold(db, question, now, askerOf(handle)) !== undefined ||
    limitedUntil(db, question, now) !== undefined ||
    archiveLimitedUntil(db, question, now) !== undefined;
  return isHeld ? "held" : undefined;
}
