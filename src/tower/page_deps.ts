import type { Access, Actor } from "../platform/access.ts";
import type { Clock } from "../platform/clock.ts";
import type { Shell } from "./shell.ts";

/** What every page's route needs. */
export interface PageDeps {
  readonly clock: Clock;
  readonly access: Access;
  /** What the page around the content shows to this operator. */
  readonly shellFor: (request: Request, actor: Actor) => Shell;
}
