/**
 * The harness to begin with: the service whole in this process (`testTower`), over a database of its own with two sites (`testGround`), under
 * a clock that stands until the test moves it, for operators whom a proxy names.
 *
 *     const site = await world();                                   // settings, files or a ground of the test's own, as `testTower` takes them
 *     await site.report("/api/pulse", pulse({ asset: "harbor" }));  // with harbor's token; a third argument is another token
 *     await site.raise("one", { severity: "error" });               // a flag, ready-made
 *     const page = await site.open("/flags/one");                   // read as a browser does; it has to be there
 *     const answer = await site.ask("/flags/one/snooze", { form: { days: "7" }, as: "ben" });
 *     site.clock.advance(3_600_000);                                // it stands at 2026-03-01T12:00Z; `clock.at(instant)` sets it
 *     await site.deps.follower.settle();                            // judges what was accepted
 *     site.listen("tower", "ada").url                               // a real port, for a browser
 *     await site.close();
 *
 * A service beside simulated providers is `pulledTower`, one whose archive runs `archivedTower`; both have the same `ask`, `open` and
 * `report` in their `tower`. Whoever signs in with a password is a `Walk`.
 */

import type { NewFlag } from "../../src/flags/flags.ts";
import { insertOpenFlag } from "../../src/flags/store.ts";
import { type TestGround, testGround } from "./deps.ts";
import { newFlag } from "./make/flag.ts";
import { PROXY, type TestTower, testTower } from "./test_tower.ts";

/** A service with its ground. */
export interface World extends TestTower, TestGround {
  /** Raises a flag as a rule does, now. */
  raise(id: string, changes?: Partial<NewFlag>): Promise<void>;
}

export async function world(
  options: Omit<NonNullable<Parameters<typeof testTower>[0]>, "ground"> & {
    readonly ground?: TestGround;
  } = {},
): Promise<World> {
  const ground = options.ground ?? (await testGround());
  const service = await testTower({ ...options, ground, settings: { ...PROXY, ...options.settings } });
  return Object.assign(service, ground, {
    raise: (id: string, changes: Partial<NewFlag> = {}) =>
      ground.writer.write((tx): void => insertOpenFlag(tx, id, newFlag(changes), ground.clock.now(), "rule")),
  });
}
