/**
 * Setting up: while nobody can sign in, a link that works once and for 30 minutes makes the first operator. It is printed to
 * the terminal and kept in a file that only the service's user reads, so a page in a browser cannot claim a new installation.
 */
import { join } from "node:path";
import { appendAudit } from "../audit/mod.ts";
import type { Db, Tx } from "../db/mod.ts";
import { sha256Hex } from "../lib/digest.ts";
import { type Files, replaceFile, systemFiles } from "../platform/files.ts";
import { randomToken } from "../platform/ids.ts";
import { isAhead } from "../platform/not_ahead.ts";
import { judgeNew, personOf, publicOf, recordOperator } from "./add.ts";
import { newBrowserSecret } from "./browser_secret.ts";
import type { Operator } from "./contract.ts";
import { rememberDevice } from "./device.ts";
import type { Caller, OperatorDeps } from "./needs.ts";
import { openSession } from "./open_session.ts";
import { claimSetupLink, findSetupLink, hasSetupLink, replaceSetupLink } from "./setup_link_store.ts";
import { hasPerson } from "./store.ts";

/** How long a set-up link works, in milliseconds. */
const SETUP_LINK_MS = 30 * 60_000;
const TOKEN_BYTES = 32;
const LONGEST_TOKEN = 64;
const FILE = "setup-link.txt";

/** What the set-up link works with. */
export interface SetupLinkDeps extends Pick<OperatorDeps, "store" | "writer" | "clock" | "ids"> {
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
    appendAudit(tx, { at: now, actor: "service", act: "setup-link.make", target: "" });
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
export type SetUpResult =
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
