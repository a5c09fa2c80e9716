import { describe, expect, spyOn, test } from "bun:test";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { issueServiceToken } from "../../src/access/api_tokens.ts";
import { listNewest as listAudit } from "../../src/access/audit.ts";
import { addOperator, findOperator, hasPerson as hasOperator } from "../../src/access/operators.ts";
import { keepSetupLink, renewSetupLink, setUp, setupLinkFault } from "../../src/access/setup_link.ts";
import { authenticate } from "../../src/access/sign_in.ts";
import { readConfig } from "../../src/base/config.ts";
import { temporaryFolder } from "../support/folder.ts";
import { fresh } from "../support/fresh.ts";
import { CALLER, GOOD_PASSWORD, OTHER_PASSWORD, operatorDeps } from "../support/operators.ts";

const MINUTE = 60_000;
const URL_OF_TOWER = "http://127.0.0.1:4611";
const BY = { actor: "command-line", now: 0 };
const REFUSED = "This set-up link does not work.";
const folder = fresh(temporaryFolder);

async function withLink() {
  const dataDir = folder.path;
  const deps = { ...operatorDeps(), config: readConfig({ DATA_DIR: dataDir }) };
  const url = await renewSetupLink(deps, URL_OF_TOWER);
  const token = codeOf(url);
  const claim = (name = "ada", password = GOOD_PASSWORD, code = token) =>
    setUp(deps, { token: code, name, password, caller: CALLER });
  return { deps, url, token, claim, file: join(dataDir, "setup-link.txt") };
}

function codeOf(url: string): string {
  return new URL(url).searchParams.get("code") ?? "";
}

describe("set-up link (reliability 4.1)", () => {
  test("makes the first operator, signed in; both are in the audit", async () => {
    const { deps, claim } = await withLink();
    const result = await claim();
    expect(result).toMatchObject({ ok: true, operator: { name: "ada", kind: "person" } });
    expect(authenticate(deps, result.ok ? result.token : "")?.operator.name).toBe("ada");
    const acts = listAudit(deps.store.db, { limit: 9 });
    expect(acts.map(({ act, actor, target }) => [act, actor, target])).toEqual([
      ["operator.add", "setup-link", "ada"],
      ["setup-link.make", "service", ""],
    ]);
  });

  test("is written to a file that only its owner reads; the database keeps a digest", async () => {
    const { deps, url, token, file } = await withLink();
    expect(readFileSync(file, "utf8")).toBe(`${url}\n`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(Buffer.from(token, "base64url")).toHaveLength(32);
    expect(Buffer.from(deps.store.raw.serialize()).includes(token)).toBe(false);
  });

  test("used twice at the same time makes one operator", async () => {
    const { claim } = await withLink();
    const both = await Promise.all([claim("ada"), claim("bob")]);
    expect(both.filter((result) => result.ok)).toHaveLength(1);
  });

  test("expired after 30 minutes", async () => {
    const { deps, token, claim } = await withLink();
    deps.clock.advance(30 * MINUTE - 1);
    expect(setupLinkFault(deps, token)).toBeUndefined();
    deps.clock.advance(1);
    expect(setupLinkFault(deps, token)).toStartWith(REFUSED);
    expect(await claim()).toMatchObject({ ok: false, field: "link" });
    expect(hasOperator(deps.store.db)).toBe(false);
  });

  test("one that does not work says so, whatever it was; only the newest works, and once", async () => {
    const { deps, token, claim } = await withLink();
    const near = ["", token.slice(1), `${token} `, token.toLowerCase(), "x".repeat(5_000)];
    for (const code of ["nonsense", ...near]) {
      expect(setupLinkFault(deps, code)).toStartWith(REFUSED);
      expect(await claim("ada", GOOD_PASSWORD, code)).toMatchObject({ ok: false, field: "link" });
    }
    deps.clock.advance(MINUTE);
    const newer = codeOf(await renewSetupLink(deps, URL_OF_TOWER));
    expect(setupLinkFault(deps, token)).toStartWith(REFUSED);
    expect(await claim()).toMatchObject({ ok: false, field: "link" });
    expect(setupLinkFault(deps, newer)).toBeUndefined();
    deps.clock.advance(29 * MINUTE);
    expect(setupLinkFault(deps, token)).toStartWith(REFUSED);
    expect(await claim("ada", GOOD_PASSWORD, newer)).toMatchObject({ ok: true });
    expect(setupLinkFault(deps, newer)).toStartWith(REFUSED);
    expect(setupLinkFault(deps, "nonsense")).toStartWith(REFUSED);
  });

  test("refused when somebody else was added while its form was judged", async () => {
    const { deps, claim } = await withLink();
    spyOn(deps.passwords, "hash").mockImplementationOnce(async () => {
      const added = await addOperator(deps, { name: "bob", password: OTHER_PASSWORD }, BY);
      expect(added).toMatchObject({ ok: true });
      return "the hash of ada's password";
    });
    expect(await claim()).toMatchObject({ ok: false, field: "link" });
    expect(findOperator(deps.store.db, "ada")).toBeUndefined();
  });

  test("a service operator does not close the set-up: nobody could sign in", async () => {
    const { deps, claim } = await withLink();
    await issueServiceToken(deps, "ci", ["read"], BY);
    expect(await claim()).toMatchObject({ ok: true });
  });

  test("a refused name or password does not use it up", async () => {
    const { claim } = await withLink();
    expect(await claim("a,b")).toMatchObject({ ok: false, field: "name" });
    expect(await claim("ada", "short")).toMatchObject({ ok: false, field: "password" });
    expect(await claim()).toMatchObject({ ok: true });
  });

  test("is renewed when it expires unused, and the one before works no more", async () => {
    const { deps, token, claim, file } = await withLink();
    expect(await keepSetupLink(deps, URL_OF_TOWER)).toBeUndefined();
    deps.clock.advance(30 * MINUTE);
    const renewed = await keepSetupLink(deps, URL_OF_TOWER);
    const next = codeOf(renewed ?? "");
    expect(readFileSync(file, "utf8")).toContain(next);
    expect(await claim("ada", GOOD_PASSWORD, token)).toMatchObject({ ok: false });
    expect(await claim("ada", GOOD_PASSWORD, next)).toMatchObject({ ok: true });
  });

  test("its file goes once an operator exists, and no new one is made", async () => {
    const { deps, claim, file } = await withLink();
    await claim();
    expect(await keepSetupLink(deps, URL_OF_TOWER)).toBeUndefined();
    expect(existsSync(file)).toBe(false);
    deps.clock.advance(60 * MINUTE);
    expect(await keepSetupLink(deps, URL_OF_TOWER)).toBeUndefined();
  });
});
