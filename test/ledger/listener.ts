import { expect } from "bun:test";
import { makeTokenText } from "../../src/access/tokens.ts";
import { sha256Hex } from "../../src/base/keys.ts";
import { type TestGround, testGround } from "../support/deps.ts";
import { seededIds } from "../support/ids.ts";
import { testTower } from "../support/test_tower.ts";

type Row = Readonly<Record<string, unknown>>;

/** The ledger over a real port: `books` may post and `reader` may read, of the sites `harbor` and `orchard`. */
export interface LedgerListener extends TestGround {
  readonly tokens: { readonly books: string; readonly reader: string };
  readonly deps: Awaited<ReturnType<typeof testTower>>["deps"];
  post(
    what: "revenue" | "costs",
    body: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Response>;
  posted(what: "revenue" | "costs", body: unknown, status: 200 | 201): Promise<Row>;
  list(query: string, token?: string): Promise<Response>;
  items(query: string): Promise<readonly Row[]>;
  /** Puts operator rates into the constants document. */
  rates(lines: string): Promise<void>;
  stop(): Promise<void>;
}

export async function ledgerListener(): Promise<LedgerListener> {
  const ground = await testGround();
  ground.clock.at("2026-03-01T09:00:00Z");
  const service = await testTower({ ground });
  const token = (id: string, scopes: readonly ("ledger" | "read")[]) => {
    const { text } = makeTokenText("smc", seededIds(id.length).bytes);
    service.deps.apiTokens.add({ id, digest: sha256Hex(text), operator: id, scopes });
    return text;
  };
  const tokens = { books: token("books", ["ledger"]), reader: token("reader", ["read"]) };
  const { url } = service.listen("tower");
  const post: LedgerListener["post"] = (what, body, headers = {}) =>
    fetch(`${url}/api/ledger/${what}`, {
      method: "POST",
      headers: { authorization: `Bearer ${tokens.books}`, "content-type": "application/json", ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  const list: LedgerListener["list"] = (query, as = tokens.reader) =>
    fetch(`${url}/api/ledger${query}`, { headers: { authorization: `Bearer ${as}` } });
  return {
    ...ground,
    deps: service.deps,
    tokens,
    post,
    posted: async (what, body, status) => {
      const response = await post(what, body);
      const row = (await response.json()) as Row;
      expect({ status: response.status, row }).toMatchObject({ status });
      return row;
    },
    list,
    items: async (query) => ((await (await list(query)).json()) as { items: Row[] }).items,
    rates: async (lines) => {
      const { text, digest } = service.deps.constants.document();
      const saved = text.replace(/(operator_rates\]\n)(?:[A-Z]{3} = \d+\n)*/, `$1${lines}\n`);
      const result = await service.deps.constants.save(saved, { author: "test" }, digest);
      expect(result).toMatchObject({ ok: true });
    },
    stop: () => service.close(),
  };
}
