import { copyAnew } from "../archive/mod.ts";
import { appendAudit } from "../audit/mod.ts";
import { loseSecrets, loseTexts } from "../credentials/mod.ts";
import { CREDENTIALS_LOST_AT, putServiceState, RESTORED_AT, type Tx } from "../db/mod.ts";
import { endEverything } from "../operators/mod.ts";

/**
 * What a restored database must not carry on as if nothing had happened. Everybody signs in anew, and no set-up link works: they are
 * of another time, and perhaps of another machine. Without a proven origin stored credentials are lost, too: their secrets are taken
 * out, since nobody has shown that they are this installation's. Operators and tokens stay, since an installation without them is no use to its operators; the
 * command names them all, because whoever crafts a file can add some.
 */
export function settle(
  tx: Tx,
  restored: { readonly now: number; readonly madeAt: string; readonly isProven: boolean },
): void {
  const { now, madeAt, isProven } = restored;
  putServiceState(tx, RESTORED_AT, String(now), now);
  const sessionsEnded = endEverything(tx);
  copyAnew(tx);
  if (!isProven) {
    putServiceState(tx, CREDENTIALS_LOST_AT, String(now), now);
    loseSecrets(tx);
    loseTexts(tx);
  }
  appendAudit(tx, {
    at: now,
    actor: "command-line",
    act: "backup.restore",
    target: "",
    detail: { made_at: madeAt, origin: isProven ? "proven" : "unverified", sessions_ended: sessionsEnded },
  });
}
