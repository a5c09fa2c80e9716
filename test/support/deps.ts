/** A site token that tests send with. */

import type { Ids } from "../../src/base/base.ts";
import { type Config, readConfig } from "../../src/base/config.ts";
import { SendRates } from "../../src/sites/report_sender.ts";
import { ensureAssets } from "../../src/sites/site_changes.ts";
import { loadTokenBook, type SiteTokenBook } from "../../src/sites/site_tokens.ts";
import type { Store } from "../../src/store/store.ts";
import { Writer } from "../../src/store/writer.ts";
import { FakeClock } from "./clock.ts";
import { testStore } from "./database.ts";
import { seededIds } from "./ids.ts";

export const HARBOR_TOKEN = "harbor-token-0123456789";
/** Another site's token. */
export const ORCHARD_TOKEN = "orchard-token-0123456789";

/** The ground that every feature stands on, with the doors to the outside held by the test. */
export interface TestGround {
  readonly config: Config;
  readonly store: Store;
  readonly writer: Writer;
  readonly clock: FakeClock;
  readonly ids: Ids;
  readonly siteTokens: SiteTokenBook;
  /** More than any test sends. */
  readonly sendRates: SendRates;
}

/** A database of its own, a fake clock, seeded ids, and two sites with a token each: `harbor` and `orchard`. */
export async function testGround(store: Store = testStore()): Promise<TestGround> {
  const clock = new FakeClock();
  const writer = new Writer(store);
  const named = [
    { asset: "harbor", token: HARBOR_TOKEN },
    { asset: "orchard", token: ORCHARD_TOKEN },
  ];
  await writer.write((tx) => {
    ensureAssets(tx, ["harbor", "orchard"], { actor: "test", now: clock.now() });
  });
  return {
    config: readConfig({ DATA_DIR: "/nowhere" }),
    store,
    writer,
    clock,
    ids: seededIds(),
    siteTokens: loadTokenBook(store.db, named),
    sendRates: new SendRates({ burst: 1_000_000, perSecond: 1_000_000 }),
  };
}

/** A writer of which some is the test's own; the rest of it may not be asked. */
export const writerWith = (writer: Writer, own: Partial<Pick<Writer, keyof Writer>>): Writer =>
  Object.create(writer, Object.getOwnPropertyDescriptors(own));
