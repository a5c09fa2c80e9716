/** Which recorders a target's outcomes are written down by, as monitoring names them. Pure. */
import { opaqueId, recorderOf } from "../health/mod.ts";
import type { Monitored } from "../monitoring/mod.ts";
import type { SetUp } from "./set_up.ts";

/** One text for what a recorder records. */
export const recorderKey = ({ asset, source, subject }: Omit<Monitored, "kind">): string =>
  [subject, source, asset].join("\n");

/** Its own, and of figures that are asked for over a connection that of the connection. */
export function recordersOf({ capability, asset, target, connectionRevision }: SetUp): readonly string[] {
  const { id, provider, kind } = capability;
  const named = { capability: id, provider };
  const own = recorderKey(recorderOf({ ...named, asset, target }));
  if (kind !== "production_read" || asset === "") return [own];
  return [own, recorderKey(recorderOf({ ...named, asset: "", target: opaqueId(connectionRevision) }))];
}
