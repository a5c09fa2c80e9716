/** An operator token that the test ingest knows. */

import { makeTokenText } from "../../src/access/tokens.ts";
import { sha256Hex } from "../../src/base/keys.ts";
import { type SendRate, SendRates } from "../../src/sites/report_sender.ts";
import { HARBOR_TOKEN, type TestGround, testGround } from "./deps.ts";
import { poster } from "./http.ts";
import { seededIds } from "./ids.ts";
import { testTower } from "./test_tower.ts";

export const OPERATOR_TOKEN = makeTokenText("smc", seededIds(13).bytes).text;

/** Starts an ingest listener on a free port, for codebase reports. */
export async function testIngest(
  options: {
    readonly ground?: TestGround;
    readonly rate?: SendRate;
    readonly settings?: Readonly<Record<string, string>>;
  } = {},
) {
  const ground = options.ground ?? (await testGround());
  const rate = options.rate === undefined ? {} : { sendRates: new SendRates(options.rate) };
  const service = await testTower({
    ground: { ...ground, ...rate },
    settings: { ALLOWED_HOSTS: "ingest.example", ...options.settings },
  });
  const digest = sha256Hex(OPERATOR_TOKEN);
  service.deps.apiTokens.add({ id: "operator", digest, operator: "ci", scopes: ["read"] });
  const listening = service.listen("ingest");
  const url = `${listening.url}/api/codebase-report`;
  const post = poster(HARBOR_TOKEN);
  return {
    ...ground,
    url,
    port: listening.port,
    /** Requests under way on the port. */
    pending: () => listening.pending(),
    /** The listener without its socket. */
    edge: service.ingest,
    lines: service.lines,
    /** What was refused and is not written down. */
    refusals: service.deps.refusals,
    post: (body: unknown, headers?: Readonly<Record<string, string>>) => post(url, body, headers),
    /** Reads from the Tower with the operator token. */
    read: (path: string) => service.ask(path, { headers: { authorization: `Bearer ${OPERATOR_TOKEN}` } }),
    /** Reports that are stored. */
    stored: () =>
      ground.store.raw.query<{ n: number }, []>("SELECT count(*) AS n FROM codebase_report").get()?.n ?? -1,
    stop: () => service.close(),
  };
}
export type TestIngest = Awaited<ReturnType<typeof testIngest>>;
