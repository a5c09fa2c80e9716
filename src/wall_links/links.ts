import { appendAudit } from "../audit/mod.ts";
import type { Db, Writer } from "../db/mod.ts";
import type { Ids } from "../platform/ids.ts";
import { flushUses, issueToken, revokeToken } from "../tokens/mod.ts";
import { type KnownWallLink, WallLinkBook } from "./book.ts";
import {
  insertWallLink,
  isNameTaken,
  listWallLinks,
  markWallLinkRevoked,
  updateWallLinkUse,
} from "./store.ts";

/** What making and revoking links works with. */
export interface WallLinkDeps {
  readonly writer: Writer;
  readonly ids: Ids;
  readonly wallLinks: WallLinkBook;
}

/** Who acts, and when. */
interface By {
  readonly actor: string;
  readonly now: number;
}

/** A link of this name is in force: two of one name could not be told apart when one of them is to be revoked. */
export class NameTaken extends Error {}

/** Loads every link in force. */
export function loadWallLinks(db: Db): WallLinkBook {
  const book = new WallLinkBook();
  for (const { id, digest, name } of listWallLinks(db)) book.add({ id, digest, name });
  return book;
}

/** Makes a link that opens the Wall and nothing else. Its text is answered, to be shown once. Rejects with `NameTaken`. */
export function makeWallLink(
  deps: WallLinkDeps,
  name: string,
  by: By,
): Promise<{ readonly id: string; readonly token: string }> {
  return issueToken<KnownWallLink>(deps, deps.wallLinks, {
    prefix: "smw",
    record: (tx, made) => {
      if (isNameTaken(tx, name)) throw new NameTaken(name);
      insertWallLink(tx, { ...made, name, createdAt: by.now, createdBy: by.actor });
      appendAudit(tx, {
        at: by.now,
        actor: by.actor,
        act: "wall-link.make",
        target: name,
        detail: { id: made.id },
      });
      return false;
    },
    known: (made) => ({ ...made, name }),
  });
}

/** Revokes a link: the screen that uses it is turned away at its next refresh. False when there is no such link in force. */
export function revokeWallLink(
  deps: Pick<WallLinkDeps, "writer" | "wallLinks">,
  id: string,
  by: By,
): Promise<boolean> {
  return revokeToken(deps.writer, deps.wallLinks, (tx) => {
    const revoked = markWallLinkRevoked(tx, id, by.now, by.actor);
    if (revoked === undefined) return undefined;
    appendAudit(tx, {
      at: by.now,
      actor: by.actor,
      act: "wall-link.revoke",
      target: revoked.name,
      detail: { id },
    });
    return revoked.digest;
  });
}

/** Writes down when links were last used since the last call. */
export function flushWallLinkUses(writer: Writer, book: WallLinkBook): Promise<void> {
  return flushUses(writer, book, (tx, { token, at }) => updateWallLinkUse(tx, token.id, at));
}
