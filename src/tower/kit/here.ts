/**
 * What belongs to the request that is being answered: pages and components read it instead of handing it down. The route sets it
 * (`route.ts`) before its handler runs, and it follows the handler through what it waits for.
 */

import { AsyncLocalStorage } from "node:async_hooks";
import type { Shell } from "../keyboard.tsx";

export interface Here {
  /** When the request is answered, in milliseconds since the epoch. */
  readonly now: number;
  /** What every page shows beside its own data. */
  readonly shell: Shell;
}

const requests = new AsyncLocalStorage<Here>();

export function here(): Here {
  const found = requests.getStore();
  if (found === undefined) throw new Error("a page is rendered outside a request");
  return found;
}

/** Renders as part of a request. */
export function within<Made>(request: Here, make: () => Made): Made {
  return requests.run(request, make);
}
