/** An object is served as it was stored, or not at all. */

import { beforeEach, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { issueServiceToken } from "../../src/access/api_tokens.ts";
import { addOperator } from "../../src/access/operators.ts";
import { listDamage } from "../../src/archive/verify_events.ts";
import { listMonitoringFailures } from "../../src/health/monitoring.ts";
import { pathOfObject } from "../../src/store/objects.ts";
import { archiveObject, nameObject } from "../support/archive.ts";
import { temporaryFolder } from "../support/folder.ts";
import { fresh } from "../support/fresh.ts";
import { type MadeObject, objectHolding } from "../support/objects.ts";
import { seeded } from "../support/random_counts.ts";
import { testTower } from "../support/test_tower.ts";

const PAGE = objectHolding('{"rows":[{"keys":["/"],"clicks":12}]}\n'.repeat(40));

const folder = fresh(temporaryFolder);
const service = fresh(() =>
  testTower({ settings: { DATA_DIR: folder.path, RAW_SIGNALS: join(folder.path, "raw") } }),
);
let token: string;
beforeEach(async () => {
  await addOperator(
    service.deps,
    { name: "ada", password: "correct horse battery" },
    { actor: "test", now: 0 },
  );
  token = (await issueServiceToken(service.deps, "reader", ["read"], { actor: "test", now: 0 })).token;
  await archiveObject(service.deps, folder.path, PAGE);
});

const ask = (name: string, { method = "GET", headers = {} as Record<string, string> } = {}) =>
  service.ask(`/api/archive/objects/${name}`, {
    as: "",
    method,
    headers: { authorization: `Bearer ${token}`, ...headers },
  });
const fileOf = ({ sha256 }: MadeObject) => join(folder.path, "raw", pathOfObject(sha256));
const problemOf = async (answer: Response) => {
  const { type, detail } = (await answer.json()) as { type: string; detail: string };
  return { status: answer.status, type, detail };
};

function damage(object: MadeObject, bytes: Uint8Array): void {
  chmodSync(fileOf(object), 0o600);
  writeFileSync(fileOf(object), bytes);
}

test("its bytes come uncompressed, as a file that never changes", async () => {
  const answer = await ask(PAGE.sha256);
  expect(answer.status).toBe(200);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    "content-type": "application/octet-stream",
    "content-disposition": `attachment; filename="${PAGE.sha256}"`,
    "x-content-type-options": "nosniff",
    "cache-control": "private, max-age=31536000, immutable",
    etag: `"${PAGE.sha256}"`,
  });
  expect(await answer.text()).toBe(PAGE.content.toString());

  const head = await ask(PAGE.sha256, { method: "HEAD" });
  expect([head.status, head.headers.get("content-length"), await head.text()]).toMatchSnapshot();
  // A proxy that compresses makes the tag a weak one.
  const known = await ask(PAGE.sha256, { headers: { "if-none-match": `W/"${PAGE.sha256}"` } });
  expect([known.status, known.headers.get("etag"), await known.text()]).toEqual([
    304,
    `"${PAGE.sha256}"`,
    "",
  ]);
});

test("what no row of the manifest names is not found, also where it lies in the store", async () => {
  const orphan = objectHolding("nobody names it");
  writeFileSync(join(folder.path, "orphan"), orphan.gzip);
  await service.deps.objects.put(orphan, join(folder.path, "orphan"));
  for (const name of [
    orphan.sha256,
    "0".repeat(64),
    PAGE.sha256.toUpperCase(),
    "none",
    "..%2f..%2fetc%2fpasswd",
  ]) {
    expect(await problemOf(await ask(name))).toMatchObject({ status: 404, type: "/problems/not-found" });
  }
});

test("a damaged object is never answered: what is wrong is named, and noted at once", async () => {
  const cut = PAGE.gzip.subarray(0, 40);
  const flipped = Buffer.from(PAGE.gzip);
  flipped[4] = 1;
  const cases = [
    [cut, "is not as long as it was stored", "length"],
    [Buffer.alloc(PAGE.storedBytes), "cannot be read", "unreadable"],
    [flipped, "was changed around what it holds", "stored_digest"],
  ] as const;
  // More of them than are answered at once: none keeps its place.
  for (const [bytes, words, fault] of [...cases, ...cases]) {
    damage(PAGE, bytes);
    // To HEAD the manifest answers: nothing is read.
    expect((await ask(PAGE.sha256, { method: "HEAD" })).status).toBe(200);
    const answer = await ask(PAGE.sha256);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(await problemOf(answer)).toEqual({
      status: 503,
      type: "/problems/object-damaged",
      detail: `Object ${PAGE.sha256} ${words}. Nothing of it is answered.`,
    });
    await service.deps.writer.settled();
    expect(listDamage(service.deps.store.db)).toMatchObject([{ sha256: PAGE.sha256, fault }]);
  }
  expect(listMonitoringFailures(service.deps.store.db)).toMatchObject([
    { kind: "archive", reason: "One object of the archive is damaged or missing." },
  ]);
});

test("a missing object is named so; a store that is away is no loss of it", async () => {
  renameSync(join(folder.path, "raw"), join(folder.path, "away"));
  const away = await ask(PAGE.sha256);
  expect(away.headers.get("retry-after")).toBe("30");
  expect(await problemOf(away)).toMatchObject({ status: 503, type: "/problems/archive-unavailable" });
  await service.deps.writer.settled();
  expect(listDamage(service.deps.store.db)).toStrictEqual([]);

  renameSync(join(folder.path, "away"), join(folder.path, "raw"));
  rmSync(fileOf(PAGE));
  expect(await problemOf(await ask(PAGE.sha256))).toMatchObject({
    status: 503,
    type: "/problems/object-missing",
  });
  await service.deps.writer.settled();
  expect(listDamage(service.deps.store.db)).toMatchObject([{ sha256: PAGE.sha256, fault: "missing" }]);
});

test("an object that is not what it is named for is told, however well it unpacks", async () => {
  const other = objectHolding('{"rows":[]}');
  await nameObject(service.deps, {
    ...other,
    storedBytes: PAGE.storedBytes,
    storedSha256: PAGE.storedSha256,
  });
  renameSync(fileOf(PAGE), `${fileOf(PAGE)}.kept`);
  await service.deps.objects.put(PAGE, `${fileOf(PAGE)}.kept`);
  mkdirSync(join(fileOf(other), ".."), { recursive: true });
  writeFileSync(fileOf(other), PAGE.gzip);
  expect(await problemOf(await ask(other.sha256))).toMatchObject({
    type: "/problems/object-damaged",
    detail: expect.stringContaining("does not hold what it is named for"),
  });
});

test("a few are read at once: another waits a moment and is told to ask again; HEAD reads nothing", async () => {
  const random = seeded(4);
  const large = objectHolding(Buffer.from(Uint8Array.from({ length: 3_000_000 }, () => random() * 256)));
  await archiveObject(service.deps, folder.path, large);
  const taken = await Promise.all(Array.from({ length: 4 }, () => ask(large.sha256)));
  expect(taken.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  const refused = await ask(PAGE.sha256);
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
  expect(await problemOf(refused)).toMatchObject({ type: "/problems/archive-unavailable" });
  const waiting = ask(PAGE.sha256);
  await taken[0]?.body?.cancel();
  expect(await (await waiting).text()).toBe(PAGE.content.toString());
  expect(await (await ask(PAGE.sha256)).text()).toBe(PAGE.content.toString());
  await Promise.all(taken.slice(1).map(({ body }) => body?.cancel()));
  rmSync(fileOf(large));
  const head = await ask(large.sha256, { method: "HEAD" });
  expect([head.status, head.headers.get("content-length")]).toEqual([200, String(large.bytes)]);
});

test("a large one waits in a file that has no name, and leaves nothing", async () => {
  const random = seeded(3);
  const large = objectHolding(Buffer.from(Uint8Array.from({ length: 3_000_000 }, () => random() * 256)));
  await archiveObject(service.deps, folder.path, large);
  const answer = await ask(large.sha256);
  const spool = join(folder.path, "archive-spool");
  expect(existsSync(spool)).toBe(true);
  expect(readdirSync(spool)).toStrictEqual([]);
  expect(Buffer.from(await answer.bytes()).equals(large.content)).toBe(true);
  // Over a socket, too.
  const { port } = service.listen("tower");
  const overSocket = await fetch(`http://localhost:${port}/api/archive/objects/${large.sha256}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect((await overSocket.bytes()).length).toBe(large.bytes);
  // Nobody takes it to its end.
  await (await ask(large.sha256)).body?.cancel();
  expect(readdirSync(spool)).toStrictEqual([]);
});
