/**
 * Setting up: while nobody can sign in, a link that works once and for 30 minutes makes the first operator. It is printed to
 * the terminal and kept in a file that only the service's user reads, so a page in a browser cannot claim a new installation.
 */

import { join } from "node:path";
import { and, eq, gt, isNull, lte } from "drizzle-orm";
import { randomToken } from "../base/base.ts";
import { type Files, replaceFile, systemFiles } from "../base/files.ts";
import { sha256Hex } from "../base/keys.ts";
import { CLOCK_TOLERANCE_MS } from "../base/time.ts";
import type { Core } from "../store/core.ts";
import type { Db, Tx } from "../store/store.ts";
import type { OperatorDeps } from "./access.ts";
import { auditAct } from "./audit.ts";
import { hasPerson, judgeNew, personOf, publicOf, recordOperator, setupLink } from "./operators.ts";
import { newBrowserSecret, openSession, rememberDevice } from "./sessions.ts";
import type { SignInAttempt } from "./sign_in.ts";

/** Makes a set-up link the only one there is. */
function replaceSetupLink(tx: Tx, link: typeof setupLink.$inferInsert): void {
  tx.delete(setupLink).run();
  tx.insert(setupLink).values(link).run();
}

// A link made under a clock that was ahead would work for as long as that clock was.
const usable = (now: number) =>
  and(
    isNull(setupLink.used_at),
    gt(setupLink.expires_at, now),
    lte(setupLink.created_at, now + CLOCK_TOLERANCE_MS),
  );

/** Whether there is a set-up link that can still be used, or this one can. */
function isUsable(db: Db, now: number, digest?: string): boolean {
  const own = digest === undefined ? undefined : eq(setupLink.digest, digest);
  return (
    db
      .select()
      .from(setupLink)
      .where(and(usable(now), own))
      .get() !== undefined
  );
}

/** Uses a set-up link up; false when it is unknown, used or expired. Two at once: the database lets one through. */
function claimSetupLink(tx: Tx, digest: string, now: number): boolean {
  return (
    tx
      .update(setupLink)
      .set({ used_at: now })
      .where(and(usable(now), eq(setupLink.digest, digest)))
      .returning({ digest: setupLink.digest })
      .all().length > 0
  );
}

/** How long a set-up link works, in milliseconds. */
const SETUP_LINK_MS = 30 * 60_000;
const TOKEN_BYTES = 32;
const LONGEST_TOKEN = 64;
const FILE = "setup-link.txt";

/** Makes a new set-up link, the only one that works from now on, and writes it to a file with mode 0600 in the data folder. */
export async function renewSetupLink(
  deps: Core,
  towerUrl: string,
  files: Files = systemFiles,
): Promise<string> {
  const token = randomToken(deps.ids, TOKEN_BYTES);
  const now = deps.clock.now();
  const url = `${towerUrl}/setup?code=${token}`;
  // The file first: a link that works but stands nowhere would keep the next one from being made for as long as it lasts.
  const file = join(deps.config.dataDir, FILE);
  await replaceFile(files, file, new TextEncoder().encode(`${url}\n`), 0o600);
  await deps.writer.write((tx) => {
    replaceSetupLink(tx, { digest: sha256Hex(token), created_at: now, expires_at: now + SETUP_LINK_MS });
    auditAct(tx, { actor: "service", now }, "setup-link.make", "");
  });
  return url;
}

/**
 * Keeps a working link there while nobody can sign in, and no file once somebody can. For a job: returns the new link when
 * the one before expired unused.
 */
export async function keepSetupLink(deps: Core, towerUrl: string): Promise<string | undefined> {
  if (hasPerson(deps.store.db)) {
    await systemFiles.remove(join(deps.config.dataDir, FILE));
    return undefined;
  }
  if (isUsable(deps.store.db, deps.clock.now())) return undefined;
  return renewSetupLink(deps, towerUrl);
}

const FAULT =
  "This set-up link does not work. Each works once and for 30 minutes, only the newest does, and none once there is an operator. See that the whole link was copied.";

/** Why a link's token would not be accepted now; undefined where it would. Looking uses nothing up. */
export const setupLinkFault = (
  { store, clock }: Pick<OperatorDeps, "store" | "clock">,
  token: string,
): string | undefined => faultOf(store.db, token, clock.now());

const faultOf = (db: Db, token: string, now: number): string | undefined =>
  !hasPerson(db) && token.length <= LONGEST_TOKEN && isUsable(db, now, sha256Hex(token)) ? undefined : FAULT;

/** Makes the first operator with a set-up link, and signs them in; or says why not. `link`: it does not work, or works no more. */
export async function setUp(
  deps: OperatorDeps,
  asked: Omit<SignInAttempt, "replaces"> & { readonly token: string },
) {
  const { keep: kept = false } = asked;
  const fault = setupLinkFault(deps, asked.token);
  if (fault !== undefined) return { ok: false, field: "link", reason: fault } as const;
  const judged = await judgeNew(asked);
  if (!judged.ok) return judged;
  const operator = personOf(deps, judged.name, await deps.passwords.hash(asked.password));
  const made = newBrowserSecret(deps.ids);
  const browser = newBrowserSecret(deps.ids);
  const now = deps.clock.now();
  return deps.writer.write((tx) => {
    // Hashing took its time: the link may be used, or over, by now.
    const reason = faultOf(tx, asked.token, now) ?? claimed(tx, asked.token, now);
    if (reason !== undefined) return { ok: false, field: "link", reason } as const;
    recordOperator(tx, operator, { actor: "setup-link", now });
    openSession(tx, operator.id, made, asked.caller, now, kept);
    const device = rememberDevice(tx, operator.id, asked.caller, browser, now);
    return { ok: true, operator: publicOf(operator), token: made.token, device, kept } as const;
  });
}

function claimed(tx: Tx, token: string, now: number): string | undefined {
  return claimSetupLink(tx, sha256Hex(token), now) ? undefined : FAULT;
}
