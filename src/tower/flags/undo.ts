import type { ConstantsKeeper } from "../../constants/mod.ts";
import { findVersion, listVersions } from "../../constants/mod.ts";
import type { Db, Writer } from "../../db/mod.ts";
import { type Acts, findUndoable, type Undone, undoActs } from "../../flags/mod.ts";
import type { Actor } from "../../platform/access.ts";
import type { Ids } from "../../platform/ids.ts";
import { lookAtFile } from "../constants/look.ts";
import { REPORT_LOG } from "../nightly/log.ts";

/** What undoing acts on flags needs. */
export interface UndoDeps {
  readonly db: Db;
  readonly writer: Pick<Writer, "write">;
  readonly ids: Ids;
  readonly constants: ConstantsKeeper;
}

/** Undoes what one form did. A tune takes a new version of the constants document with it: the text of the version before. */
export async function undoMade(deps: UndoDeps, acts: Acts, by: Actor, now: number): Promise<Undone> {
  const { db, constants } = deps;
  const asked = {
    acts,
    by,
    now,
    newId: deps.ids.uuid,
    hasReported: (asset: string, since: number) =>
      REPORT_LOG.count(db, { asset, kind: null, from: since, until: null }) > 0,
  };
  const version = findUndoable(db, acts, by.id, now)?.version;
  if (version === undefined) return deps.writer.write((tx) => undoActs(tx, asked));
  await lookAtFile(constants);
  const [earlier] = listVersions(db, 1, version);
  const before = earlier === undefined ? undefined : findVersion(db, earlier.id);
  if (before === undefined || constants.current().version !== version) return STAYED;
  let undone = STAYED;
  const detail = { undone: version };
  const also = (tx: Parameters<typeof undoActs>[0]): void => {
    undone = undoActs(tx, asked);
  };
  const { digest } = constants.current();
  const saved = await constants.save(before.document, { author: by.id, detail, also }, digest);
  return saved.ok ? undone : STAYED;
}

/** The document was changed since the tune: its text of before would take that back too. */
const STAYED: Undone = { act: "tune", flags: [], kept: ["edited"] };
