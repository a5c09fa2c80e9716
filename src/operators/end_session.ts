import { appendAudit } from "../audit/mod.ts";
import type { Operator } from "./contract.ts";
import type { By, OperatorDeps } from "./needs.ts";
import { sessionId } from "./session.ts";
import { deleteSession, deleteSessions, listSessions } from "./session_store.ts";

/** Ends one of an operator's own sessions, named by its id. False when there is none: it ended before, or is another's. */
export function endSession(
  deps: Pick<OperatorDeps, "writer">,
  operator: Operator,
  id: string,
  by: By,
): Promise<boolean> {
  return deps.writer.write((tx): boolean => {
    const own = listSessions(tx, operator.id, by.now).find((session) => sessionId(session.digest) === id);
    if (own === undefined || !deleteSession(tx, own.digest)) return false;
    appendAudit(tx, {
      at: by.now,
      actor: by.actor,
      act: "session.end",
      target: operator.name,
      detail: { session: id },
    });
    return true;
  });
}

/** Ends all of an operator's sessions, wherever they are. Returns how many there were. */
export function endSessions(
  deps: Pick<OperatorDeps, "writer">,
  operator: Pick<Operator, "id" | "name">,
  by: By,
): Promise<number> {
  return deps.writer.write((tx): number => {
    const ended = deleteSessions(tx, operator.id);
    const detail = { ended_sessions: ended };
    appendAudit(tx, { at: by.now, actor: by.actor, act: "session.end-all", target: operator.name, detail });
    return ended;
  });
}
