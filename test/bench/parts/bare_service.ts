/**
 * The yardsticks, as small as they can be and still durable. `validated` (codebase reports) and `nightly` (nightly ones): Elysia, the
 * same schema, a token look-up by SHA-256 and a group commit of one prepared INSERT. `commit`: one transaction per body, nothing else.
 * Arguments: kind, database file; the tokens come in as JSON on standard input. Prints its port.
 */

import { Database } from "bun:sqlite";
import { Elysia } from "elysia";
import * as v from "valibot";
import { sha256Hex } from "../../../src/base/keys.ts";
import { CodebaseReportSchema } from "../../../src/reports/measures.ts";
import { PulseSchema } from "../../../src/reports/pulse.ts";

const [kind = "validated", path = ":memory:"] = Bun.argv.slice(2);
const tokens = new Map(((await Bun.stdin.json()) as string[]).map((token) => [sha256Hex(token), token]));

const db = new Database(path, { create: true });
for (const pragma of ["journal_mode = WAL", "synchronous = FULL", "wal_autocheckpoint = 4000"])
  db.run(`PRAGMA ${pragma}`);
db.run(
  "CREATE TABLE report (id INTEGER PRIMARY KEY, asset TEXT NOT NULL, received_at INTEGER NOT NULL, body TEXT NOT NULL) STRICT",
);
const insert = db.prepare("INSERT INTO report (asset, received_at, body) VALUES (?, ?, ?)");
const begin = db.prepare("BEGIN IMMEDIATE");
const commit = db.prepare("COMMIT");

let waiting: { asset: string; body: string; done: () => void }[] = [];
function flush(): void {
  const batch = waiting;
  waiting = [];
  begin.run();
  for (const { asset, body } of batch) insert.run(asset, Date.now(), body);
  commit.run();
  for (const { done } of batch) done();
}

function stored(asset: string, body: string): Promise<void> {
  return new Promise((done) => {
    if (waiting.push({ asset, body, done }) === 1) setImmediate(flush);
  });
}

const schema = kind === "nightly" ? PulseSchema : CodebaseReportSchema;

async function validated(request: Request): Promise<Response> {
  const token = request.headers.get("authorization")?.slice("Bearer ".length) ?? "";
  if (!tokens.has(sha256Hex(token))) return new Response(null, { status: 401 });
  const body = await request.text();
  const judged = v.safeParse(schema, JSON.parse(body));
  if (!judged.success) return new Response(null, { status: 422 });
  await stored(judged.output.asset, body);
  return Response.json({ asset: judged.output.asset }, { status: 201 });
}

async function committed(request: Request): Promise<Response> {
  insert.run("x", Date.now(), await request.text());
  return Response.json({ ok: true }, { status: 201 });
}

const server =
  kind === "commit"
    ? Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: committed })
    : new Elysia()
        .post(
          kind === "nightly" ? "/api/pulse" : "/api/codebase-report",
          ({ request }) => validated(request),
          {
            parse: "none",
          },
        )
        .listen({ port: 0, hostname: "127.0.0.1" }).server;
process.stdout.write(`${server?.port}\n`);
