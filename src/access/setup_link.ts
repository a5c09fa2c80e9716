/**
 * Setting up: while nobody can sign in, a link that works once and for 30 minutes makes the first operator. It is printed to
 * the terminal and kept in a file that only the service's user reads, so a page in a browser cannot claim a new installation.
 */

import { join } from "node:path";
import { and, desc, eq, gt, isNull, lte } from "drizzle-orm";
import { randomToken } from "../base/base.ts";
import { type Files, replaceFile, systemFiles } from "../base/files.ts";
import { sha256Hex } from "../base/keys.ts";
import { CLOCK_TOLERANCE_MS, isAhead } from "../base/time.ts";
import type { Db, Tx } from "../store/store.ts";
import type { Caller, OperatorDeps } from "./access.ts";
import { auditAct } from "./audit.ts";
import {
  hasPerson,
  judgeNew,
  type Operator,
  personOf,
  publicOf,
  recordOperator,
  setupLink,
} from "./operators.ts";
import { newBrowserSecret, openSession, rememberDevice } from "./sessions.ts";

/** Set-up links that are kept after a newer one was made, so that whoever comes with one is told what it is. */
const MOST_OLD_LINKS = 50;

/** Makes a set-up link the only one that works. */
function replaceSetupLink(tx: Tx, link: { digest: string; createdAt: number; expiresAt: number }): void {
  tx.update(setupLink)
    .set({ expires_at: link.createdAt })
    .where(gt(setupLink.expires_at, link.createdAt))
    .run();
  const oldest = tx
    .select({ digest: setupLink.digest })
    .from(setupLink)
    .orderBy(desc(setupLink.created_at))
    .limit(1_000)
    .offset(MOST_OLD_LINKS)
    .all();
  for (const { digest } of oldest) tx.delete(setupLink).where(eq(setupLink.digest, digest)).run();
  tx.insert(setupLink)
    .values({ digest: link.digest, created_at: link.createdAt, expires_at: link.expiresAt })
    .run();
}

// A link made under a clock that was ahead would work for as long as that clock was.
const usable = (now: number) =>
  and(
    isNull(setupLink.used_at),
    gt(setupLink.expires_at, now),
    lte(setupLink.created_at, now + CLOCK_TOLERANCE_MS),
  );

/** Whether there is a set-up link that can still be used. */
function hasSetupLink(db: Db, now: number): boolean {
  return db.select({ digest: setupLink.digest }).from(setupLink).where(usable(now)).all().length > 0;
}

/** A set-up link, whether it works or not. */
function findSetupLink(
  db: Db,
  digest: string,
): { readonly createdAt: number; readonly expiresAt: number; readonly usedAt: number | null } | undefined {
  return db
    .select({
      createdAt: setupLink.created_at,
      expiresAt: setupLink.expires_at,
      usedAt: setupLink.used_at,
    })
    .from(setupLink)
    .where(eq(setupLink.digest, digest))
    .get();
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

/** What the set-up link works with. */
interface SetupLinkDeps extends Pick<OperatorDeps, "store" | "writer" | "clock" | "ids"> {
  readonly config: { readonly dataDir: string };
}

/** Makes a new set-up link, the only one that works from now on, and writes it to a file with mode 0600 in the data folder. */
export async function renewSetupLink(
  deps: SetupLinkDeps,
  towerUrl: string,
  files: Files = systemFiles,
): Promise<{ readonly url: string; readonly expiresAt: number }> {
  const token = randomToken(deps.ids, TOKEN_BYTES);
  const now = deps.clock.now();
  const expiresAt = now + SETUP_LINK_MS;
  const url = `${towerUrl}/setup?code=${token}`;
  // The file first: a link that works but stands nowhere would keep the next one from being made for as long as it lasts.
  await replaceFile(files, join(deps.config.dataDir, FILE), new TextEncoder().encode(`${url}\n`), 0o600);
  await deps.writer.write((tx) => {
    replaceSetupLink(tx, { digest: sha256Hex(token), createdAt: now, expiresAt });
    auditAct(tx, { actor: "service", now }, "setup-link.make", "");
  });
  return { url, expiresAt };
}

/**
 * Keeps a working link there while nobody can sign in, and no file once somebody can. For a job: returns the new link when
 * the one before expired unused.
 */
export async function keepSetupLink(
  deps: SetupLinkDeps,
  towerUrl: string,
  files: Files = systemFiles,
): Promise<{ readonly url: string; readonly expiresAt: number } | undefined> {
  if (hasPerson(deps.store.db)) {
    await files.remove(join(deps.config.dataDir, FILE));
    return undefined;
  }
  if (hasSetupLink(deps.store.db, deps.clock.now())) return undefined;
  return renewSetupLink(deps, towerUrl, files);
}

const FAULTS = {
  unknown:
    "This set-up link does not work: its code is not one of this Tower. See that the whole link was copied, and that it is this installation's.",
  used: "This set-up link does not work: it was used, and each works once.",
  needless: "This set-up link does not work: the Tower has an operator by now.",
  expired: "This set-up link does not work: it is older than 30 minutes.",
  replaced:
    "This set-up link does not work: a newer one was made, as each start does, and only the newest works.",
} as const;

/**
 * Why a link's token would not be accepted now; undefined where it would. Looking uses nothing up. More than that it is none is told only
 * to who holds the secret of a link that once worked, so it helps nobody to guess one.
 */
export function setupLinkFault(
  deps: Pick<OperatorDeps, "store" | "clock">,
  token: string,
): string | undefined {
  return faultOf(deps.store.db, token, deps.clock.now());
}

function faultOf(db: Db, token: string, now: number): string | undefined {
  const link = token.length <= LONGEST_TOKEN ? findSetupLink(db, sha256Hex(token)) : undefined;
  if (link === undefined || isAhead(link.createdAt, now)) return FAULTS.unknown;
  if (link.usedAt !== null) return FAULTS.used;
  if (hasPerson(db)) return FAULTS.needless;
  if (now >= link.createdAt + SETUP_LINK_MS) return FAULTS.expired;
  return now >= link.expiresAt ? FAULTS.replaced : undefined;
}

/** The first operator, signed in; or why not. `link`: it does not work, or works no more. */
type SetUpResult =
  | {
      readonly ok: true;
      readonly operator: Operator;
      readonly token: string;
      readonly device: string | undefined;
      readonly kept: boolean;
    }
  | { readonly ok: false; readonly field: "link" | "name" | "password"; readonly reason: string };

/** Makes the first operator with a set-up link, and signs them in. */
export async function setUp(
  deps: OperatorDeps,
  asked: {
    readonly token: string;
    readonly name: string;
    readonly password: string;
    readonly caller: Caller;
    readonly keep?: boolean;
  },
): Promise<SetUpResult> {
  const { keep: kept = false } = asked;
  const fault = setupLinkFault(deps, asked.token);
  if (fault !== undefined) return { ok: false, field: "link", reason: fault };
  const judged = await judgeNew(asked);
  if (!judged.ok) return judged;
  const operator = personOf(deps, judged.name, await deps.passwords.hash(asked.password));
  const made = newBrowserSecret(deps.ids);
  const browser = newBrowserSecret(deps.ids);
  const now = deps.clock.now();
  return deps.writer.write((tx): SetUpResult => {
    // Hashing took its time: the link may be used, or over, by now.
    const reason = faultOf(tx, asked.token, now) ?? claimed(tx, asked.token, now);
    if (reason !== undefined) return { ok: false, field: "link", reason };
    recordOperator(tx, operator, { actor: "setup-link", now });
    openSession(tx, operator.id, made, asked.caller, now, kept);
    const device = rememberDevice(tx, operator.id, asked.caller, browser, now);
    return { ok: true, operator: publicOf(operator), token: made.token, device, kept };
  });
}

function claimed(tx: Tx, token: string, now: number): string | undefined {
  return claimSetupLink(tx, sha256Hex(token), now) ? undefined : FAULTS.used;
}
