/** What nearly everything that reads and writes works with: how it is set, where it reads and who writes, when, and with which names. */

import type { Clock, Ids } from "../base/base.ts";
import type { Config } from "../base/config.ts";
import type { Store } from "./store.ts";
import type { Writer } from "./writer.ts";

export interface Core {
  readonly config: Config;
  readonly store: Store;
  readonly writer: Writer;
  readonly clock: Clock;
  readonly ids: Ids;
}
