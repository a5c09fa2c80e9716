import { expect } from "bun:test";
import { makeTokenText } from "../../src/access/tokens.ts";
import { sha256Hex } from "../../src/base/keys.ts";
import { testGround } from "../support/deps.ts";
import { poster } from "../support/http.ts";
import { seededIds } from "../support/ids.ts";
import { testTower } from "../support/test_tower.ts";

type Row = Readonly<Record<string, unknown>>;

type Kind = "revenue" | "costs";

/** The ledger over a real port: `books` may post and `reader` may read, of the sites `harbor` and `orchard`. */
export async function ledgerListener() {
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
  const send = poster(tokens.books);
  const post = (what: Kind, body: unknown, headers?: Readonly<Record<string, string>>) =>
    send(`${url}/api/ledger/${what}`, body, headers);
  const list = (query: string, as = tokens.reader) =>
    fetch(`${url}/api/ledger${query}`, { headers: { authorization: `Bearer ${as}` } });
  return {
    ...ground,
    deps: service.deps,
    tokens,
    post,
    posted: async (what: Kind, body: unknown, status: 200 | 201) => {
      const response = await post(what, body);
      const row = (await response.json()) as Row;
      expect({ status: response.status, row }).toMatchObject({ status });
      return row;
    },
    list,
    items: async (query: string): Promise<readonly Row[]> =>
      ((await (await list(query)).json()) as { items: Row[] }).items,
    /** Puts operator rates into the constants document. */
    rates: async (lines: string) => {
      const { text, digest } = service.deps.constants.document();
      const saved = text.replace(/(operator_rates\]\n)(?:[A-Z]{3} = \d+\n)*/, `$1${lines}\n`);
      const result = await service.deps.constants.save(saved, { author: "test" }, digest);
      expect(result).toMatchObject({ ok: true });
    },
    stop: () => service.close(),
  };
}
