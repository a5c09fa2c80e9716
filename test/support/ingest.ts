/** An operator token that the test ingest knows. */

import { makeTokenText } from "../../src/access/tokens.ts";
import type { HttpHandler } from "../../src/base/http_handler.ts";
import { sha256Hex } from "../../src/base/keys.ts";
import type { RefusedReports } from "../../src/health/refusals.ts";
import { type SendRate, SendRates } from "../../src/sites/report_sender.ts";
import { HARBOR_TOKEN, type TestGround, testGround } from "./deps.ts";
import { seededIds } from "./ids.ts";
import type { Logged } from "./log.ts";
import { testTower } from "./test_tower.ts";

export const OPERATOR_TOKEN = makeTokenText("smc", seededIds(13).bytes).text;

/** The ingest on a real port, for codebase reports. */
export interface TestIngest extends TestGround {
  readonly url: string;
  readonly port: number;
  /** Requests under way on the port. */
  pending(): number;
  /** The listener without its socket. */
  readonly edge: HttpHandler;
  readonly lines: readonly Logged[];
  /** What was refused and is not written down. */
  readonly refusals: RefusedReports;
  /** Posts a codebase report: an object as JSON, a string or bytes as they are. */
  post(body: unknown, headers?: Readonly<Record<string, string>>): Promise<Response>;
  /** Reads from the Tower with the operator token. */
  read(path: string): Promise<Response>;
  /** Reports that are stored. */
  stored(): number;
  stop(): Promise<void>;
}

/** Starts an ingest listener on a free port. */
export async function testIngest(
  options: {
    readonly ground?: TestGround;
    readonly rate?: SendRate;
    readonly settings?: Readonly<Record<string, string>>;
  } = {},
): Promise<TestIngest> {
  const ground = options.ground ?? (await testGround());
  const rate = options.rate === undefined ? {} : { sendRates: new SendRates(options.rate) };
  const service = await testTower({
    ground: { ...ground, ...rate },
    settings: { ALLOWED_HOSTS: "ingest.example", ...options.settings },
  });
  service.deps.apiTokens.add({
    id: "operator",
    digest: sha256Hex(OPERATOR_TOKEN),
    operator: "ci",
    scopes: ["read"],
  });
  const listening = service.listen("ingest");
  const url = `${listening.url}/api/codebase-report`;
  return {
    ...ground,
    url,
    port: listening.port,
    pending: () => listening.pending(),
    edge: service.ingest,
    lines: service.lines,
    refusals: service.deps.refusals,
    post: (body, headers = {}) =>
      fetch(url, {
        method: "POST",
        headers: { authorization: `Bearer ${HARBOR_TOKEN}`, "content-type": "application/json", ...headers },
        body:
          typeof body === "string" || body instanceof Uint8Array ? (body as BodyInit) : JSON.stringify(body),
      }),
    read: (path) => {
      const headers = { host: "localhost:4611", authorization: `Bearer ${OPERATOR_TOKEN}` };
      return service.tower(new Request(`http://localhost:4611${path}`, { headers }));
    },
    stored: () =>
      ground.store.raw.query<{ n: number }, []>("SELECT count(*) AS n FROM codebase_report").get()?.n ?? -1,
    stop: () => service.close(),
  };
}
