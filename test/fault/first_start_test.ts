import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { renewSetupLink } from "../../src/access/setup_link.ts";
import { openData } from "../../src/app/boot.ts";
import { systemClock, systemIds } from "../../src/base/base.ts";
import { readConfig } from "../../src/base/config.ts";
import { type Files, systemFiles } from "../../src/base/files.ts";
import { keepCredentialsKey, keysIn } from "../../src/base/keys.ts";
import { listKeyUses } from "../../src/providers/sealing.ts";
import { openFolder } from "../support/data_folder.ts";
import { temporaryFolder } from "../support/folder.ts";
import { promptHttp } from "../support/http.ts";
import { bareEnvironment, startService } from "../support/service.ts";

const KEY = /^[A-Za-z0-9+/]{43}=\n$/;

/** Files whose `failing`-th call, and every later one, fails as on a full disk; counts the calls. */
function failingFrom(failing: number): { readonly files: Files; readonly calls: () => number } {
  let calls = 0;
  const files = Object.fromEntries(
    Object.entries(systemFiles).map(([name, step]) => [
      name,
      (...given: unknown[]) => {
        calls++;
        if (calls >= failing) {
          return Promise.reject(
            Object.assign(new Error(`ENOSPC: ${name}`), { code: "ENOSPC", syscall: name }),
          );
        }
        return (step as (...all: unknown[]) => unknown)(...given);
      },
    ]),
  ) as unknown as Files;
  return { files, calls: () => calls };
}

async function firstStart(dataDir: string, files: Files): Promise<void> {
  const opened = await openData(readConfig({ DATA_DIR: dataDir }), {
    clock: systemClock,
    ids: systemIds,
    files,
    http: promptHttp(systemClock),
  });
  try {
    await renewSetupLink(opened.deps, "http://127.0.0.1:4611", files);
  } finally {
    opened.close();
  }
}

describe("the first start, cut short", () => {
  test("a failure at any call on a file leaves a folder that the next start takes, for every call there is", async () => {
    using whole = temporaryFolder();
    const counting = failingFrom(Number.POSITIVE_INFINITY);
    await firstStart(join(whole.path, "data"), counting.files);
    expect(counting.calls()).toBeGreaterThan(8);
    for (let failing = 1; failing <= counting.calls(); failing++) {
      using folder = temporaryFolder();
      const dataDir = join(folder.path, "data");
      await expect(firstStart(dataDir, failingFrom(failing).files)).rejects.toThrow(
        /full|ENOSPC|could not be written/,
      );
      await firstStart(dataDir, systemFiles);
      expect(readFileSync(join(dataDir, "credentials.key"), "utf8")).toMatch(KEY);
      expect(readFileSync(join(dataDir, "setup-link.txt"), "utf8")).toContain("/setup?code=");
      expect(existsSync(join(dataDir, "credentials.key.unusable"))).toBe(false);
    }
  });

  test("a kill at any moment of it leaves a folder that the next start takes", async () => {
    const killedAfter = async (ms: number) => {
      using folder = temporaryFolder();
      const settings = {
        DATA_DIR: join(folder.path, "data"),
        INGEST_PORT: "0",
        TOWER_PORT: "0",
        LOG_LEVEL: "error",
      };
      const child = Bun.spawn([process.execPath, join(import.meta.dir, "../../src/main.ts")], {
        env: { ...bareEnvironment(), ...settings },
        stdin: "ignore",
        stdout: "ignore",
        stderr: "ignore",
      });
      await Bun.sleep(ms);
      child.kill("SIGKILL");
      await child.exited;
      const service = await startService(settings);
      expect(await service.end("SIGTERM")).toBe(0);
      expect(readFileSync(join(folder.path, "data", "credentials.key"), "utf8")).toMatch(KEY);
    };
    await Promise.all([150, 300, 450].map(killedAfter));
  });
});

describe("a key file that holds no key", () => {
  const good = Buffer.alloc(32, 7).toString("base64");
  for (const [what, text] of [
    ["empty", ""],
    ["torn", good.slice(0, 20)],
    ["zeroed", "\0".repeat(45)],
    ["in another alphabet than every other reader takes", Buffer.alloc(32, 0xff).toString("base64url")],
  ] as const) {
    test(`${what}, it is put aside and replaced while nothing is encrypted, and that stands in the audit`, async () => {
      using folder = temporaryFolder();
      const path = join(folder.path, "credentials.key");
      writeFileSync(path, text);
      const opened = await openFolder(folder.path);
      const [row] = opened.deps.store.raw
        .query<{ target: string; detail: string }, []>(
          "SELECT target, detail FROM audit WHERE act = 'credentials-key.replace'",
        )
        .all();
      opened.close();
      expect(row).toEqual({
        target: "credentials.key",
        detail: '{"aside":"credentials.key.unusable","unproven":[]}',
      });
      expect(readFileSync(path, "utf8")).toMatch(KEY);
      expect(statSync(path).mode & 0o777).toBe(0o600);
      expect(readFileSync(`${path}.unusable`, "utf8")).toBe(text);
    });
  }

  /** Keeps the key of a folder in which `uses` were made with it. */
  const keep = (
    dataDir: string,
    uses: {
      readonly encrypted: readonly string[];
      readonly signed: readonly string[];
      readonly encryptedWith?: readonly string[];
    },
  ) =>
    keepCredentialsKey({
      config: { credentialsKey: undefined, credentialsKeyPrevious: undefined, dataDir },
      ids: systemIds,
      files: systemFiles,
      uses: () => ({ encryptedWith: [], ...uses }),
    });
  const SEALED = { encrypted: ["2 rows of credential"], signed: [], encryptedWith: ["0123456789abcdef"] };

  for (const [what, text, words] of [
    [
      "torn",
      "torn",
      /credentials\.key does not hold 32 bytes in base64, and 2 rows of credential cannot be read/,
    ],
    ["gone", undefined, /credentials\.key is gone, and 2 rows of credential cannot be read/],
  ] as const) {
    test(`${what}, none is made while something is encrypted: what stands in is kept nowhere, and what to do is said`, async () => {
      using folder = temporaryFolder();
      const path = join(folder.path, "credentials.key");
      if (text !== undefined) writeFileSync(path, text);
      const kept = await keep(folder.path, SEALED);
      expect(kept.lost).toMatch(words);
      expect(kept.keys.isStandIn).toBe(true);
      expect(existsSync(path)).toBe(text !== undefined);
      expect(readdirSync(folder.path)).toEqual(text === undefined ? [] : ["credentials.key"]);
    });
  }

  test("a key of before that is named opens what was sealed with it, and no other one does", async () => {
    using folder = temporaryFolder();
    const before = "A".repeat(43);
    const known = keysIn(`${before}=`);
    const lostWith = async (id: string) => {
      const config = {
        credentialsKey: undefined,
        credentialsKeyPrevious: `${before}=`,
        dataDir: folder.path,
      };
      const uses = () => ({ ...SEALED, encryptedWith: [id] });
      return (await keepCredentialsKey({ config, ids: systemIds, files: systemFiles, uses })).lost;
    };
    expect(await lostWith("0123456789abcdef")).toMatch("cannot be read without it");
    expect(await lostWith(known?.id ?? "")).toBeUndefined();
  });

  test("a row that names no key of ours, as one of a restored database may, keeps no start from coming up", async () => {
    using folder = temporaryFolder();
    const kept = await keep(folder.path, { ...SEALED, encryptedWith: ["\0/../of/others"] });
    expect(kept.lost).toMatch("cannot be read without it");
  });

  test("gone while rows were proven with it, a new one is told of with what can no longer be proven", async () => {
    using folder = temporaryFolder();
    const kept = await keep(folder.path, { encrypted: [], signed: ["9 rows of audit"] });
    expect(kept.replaced).toEqual({ aside: undefined, unproven: ["9 rows of audit"] });
    const again = await keep(folder.path, SEALED);
    expect([again.replaced, again.lost, again.keys.id]).toEqual([undefined, undefined, kept.keys.id]);
  });

  test("a new installation holds nothing made with the key; a credential counts as long as its secret is there", async () => {
    using folder = temporaryFolder();
    const opened = await openFolder(folder.path);
    const { raw } = opened.deps.store;
    const uses = () => listKeyUses(opened.deps.store);
    expect([uses().encrypted, uses().encryptedWith]).toEqual([[], []]);
    raw.run(
      "INSERT INTO credential VALUES ('a', 'webmaster-tools-key', '[]', 'a', 'a', 1, 'r', '0123456789abcdef', 'AA==', 1, 1)",
    );
    expect([uses().encrypted, uses().encryptedWith]).toEqual([
      ["1 rows of credential"],
      ["0123456789abcdef"],
    ]);
    raw.run("UPDATE credential SET sealed = '', key_id = ''");
    expect([uses().encrypted, uses().encryptedWith]).toEqual([[], []]);
    opened.close();
  });
});
