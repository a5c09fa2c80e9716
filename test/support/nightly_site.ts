/** The pages about nightly reports; every caller is the operator ada. */
import type { TestGround } from "./deps.ts";
import type { Logged } from "./log.ts";
import { OPERATOR_HEADER, PROXY, testTower } from "./test_tower.ts";

/** A running set of pages. */
export interface NightlySite {
  readonly lines: readonly Logged[];
  ask(path: string, headers?: Readonly<Record<string, string>>): Promise<Response>;
  /** Listens on loopback for a browser; answers the address. */
  listen(): string;
  close(): Promise<void>;
}

/** The pages over a test's ground. The service's own asset is `tower`. */
export async function nightlySite(ground: TestGround): Promise<NightlySite> {
  const service = await testTower({ ground, settings: PROXY });
  return {
    lines: service.lines,
    ask: (path, headers = {}) => {
      const own = { host: new URL(service.origin).host, [OPERATOR_HEADER]: "ada" };
      const request = new Request(`${service.origin}${path}`, { headers: { ...headers, ...own } });
      return service.tower(request, () => "127.0.0.1");
    },
    listen: () => service.listen("tower", "ada").url,
    close: () => service.stop(),
  };
}
