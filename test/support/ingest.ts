import { Elysia } from "elysia";
import { type SendRate, SendRates } from "../../src/assets/mod.ts";
import { codebaseIngest } from "../../src/codebase/mod.ts";
import { createEdge, type Edge } from "../../src/platform/edge.ts";
import { INGEST_HEADERS } from "../../src/platform/headers.ts";
import { acceptableHosts } from "../../src/platform/hosts.ts";
import { listen } from "../../src/platform/listen.ts";
import { routerOf } from "../../src/platform/routing.ts";
import { RefusedReports } from "../../src/refusals/mod.ts";
import { type CodebaseThresholds, DEFAULT_CODEBASE_THRESHOLDS } from "../../src/rules/mod.ts";
import { HARBOR_TOKEN, type TestGround, testGround } from "./deps.ts";
import { capturingLog, type Logged } from "./log.ts";

/** An operator token that the test ingest knows. */
export const OPERATOR_TOKEN = "operator-token-0123456789";

/** The codebase ingest behind its real edge, on a real port. */
export interface TestIngest extends TestGround {
  readonly url: string;
  readonly port: number;
  /** The listener without its socket. */
  readonly edge: Edge;
  readonly lines: readonly Logged[];
  /** What was refused and is not written down. */
  readonly refusals: RefusedReports;
  /** Posts a codebase report: an object as JSON, a string or bytes as they are. */
  post(body: unknown, headers?: Readonly<Record<string, string>>): Promise<Response>;
  /** Reports that are stored. */
  stored(): number;
  stop(): Promise<void>;
}

/** Starts an ingest listener on a free port. */
export async function testIngest(
  options: {
    readonly ground?: TestGround;
    readonly thresholds?: CodebaseThresholds;
    readonly rate?: SendRate;
  } = {},
): Promise<TestIngest> {
  const ground = options.ground ?? (await testGround());
  const { log, lines } = capturingLog();
  const refusals = new RefusedReports();
  const thresholds = options.thresholds ?? DEFAULT_CODEBASE_THRESHOLDS;
  const route = routerOf(
    new Elysia().use(
      codebaseIngest({
        ...ground,
        refusals,
        ...(options.rate === undefined ? {} : { sendRates: new SendRates(options.rate) }),
        isOperatorToken: (token) => token === OPERATOR_TOKEN,
        codebaseThresholds: () => thresholds,
      }),
    ),
  );
  let port = 0;
  const edge = createEdge({
    listener: "ingest",
    route,
    hosts: () =>
      acceptableHosts({ bound: "127.0.0.1", port, published: undefined, allowed: ["ingest.example"] }),
    refuseBrowsers: true,
    headers: INGEST_HEADERS,
    clock: ground.clock,
    ids: ground.ids,
    log,
  });
  const listening = listen(edge, "127.0.0.1", 0);
  port = listening.port;
  const url = `${listening.url}/api/codebase-report`;
  return {
    ...ground,
    url,
    port,
    edge,
    lines,
    refusals,
    post: (body, headers = {}) =>
      fetch(url, {
        method: "POST",
        headers: { authorization: `Bearer ${HARBOR_TOKEN}`, "content-type": "application/json", ...headers },
        body:
          typeof body === "string" || body instanceof Uint8Array ? (body as BodyInit) : JSON.stringify(body),
      }),
    stored: () =>
      ground.store.raw.query<{ n: number }, []>("SELECT count(*) AS n FROM codebase_report").get()?.n ?? -1,
    stop: async () => {
      await listening.stop(0);
      ground.store.close();
    },
  };
}
