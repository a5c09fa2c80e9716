/**
 * Real reverse proxies in front of a real service, with the blocks of the manual and with the mistakes that people make in them. Skipped by
 * name where a machine has no such proxy.
 */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { documentBlock } from "../support/documents.ts";
import { temporaryFolder } from "../support/folder.ts";
import { GOOD_PASSWORD } from "../support/operators.ts";
import { bareEnvironment, type Service, startService } from "../support/service.ts";
import { until } from "../support/until.ts";

const ORIGIN = "https://tower.example";
const TOKEN = "harbour-token-0123456789";
const SECRET = "harbour-of-the-proxy-0123456789";
const CHROME = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/150.0 Safari/537.36";

const BLOCKS: Readonly<Record<ProxyKind, (at: Places, operator?: Operator) => string>> = {
  nginx: nginxBlock,
  caddy: caddyBlock,
};
/** The trusted header set as the manual shows, for ada. */
const ADA: Readonly<Record<ProxyKind, string>> = {
  nginx: `"${SECRET} ada"`,
  caddy: `X-Remote-User "${SECRET} ada"`,
};

const folder = temporaryFolder();
const PORTS = { ingest: freePort(), tower: freePort() };
const kinds = (["nginx", "caddy"] as const).map((kind) => ({ kind, reason: whyNoProxy(kind) }));
const isTried = kinds.some(({ reason }) => reason === undefined);
let service: Service;
let files: { readonly certificate: string; readonly key: string };

beforeAll(async () => {
  if (!isTried) return;
  files = certificateIn(folder.path);
  service = await startService({
    DATA_DIR: `${folder.path}/data`,
    INGEST_PORT: String(PORTS.ingest),
    TOWER_PORT: String(PORTS.tower),
    TOWER_PUBLIC_URL: ORIGIN,
    INGEST_PUBLIC_URL: ORIGIN,
    TRUSTED_PROXIES: "127.0.0.1",
    TRUSTED_AUTH_HEADER: "X-Remote-User",
    TRUSTED_PROXY_SECRET: SECRET,
    ASSET_TOKENS: `harbor:${TOKEN}`,
    LOG_LEVEL: "error",
  });
  const done = Bun.spawnSync([process.execPath, "src/cli.ts", "operator", "add", "dana"], {
    env: { ...bareEnvironment(), DATA_DIR: `${folder.path}/data` },
    stdin: Buffer.from(`${GOOD_PASSWORD}\n`),
  });
  expect(String(done.stderr)).not.toContain("refused");
});
afterAll(async () => {
  if (isTried) await service.end("SIGTERM");
  folder[Symbol.dispose]();
});

/** A proxy with these blocks, one for each port, and a way to ask it. */
async function proxied(kind: ProxyKind, blocks: readonly ((at: Places) => string)[]) {
  const listens = blocks.map(() => freePort());
  const text = blocks.map((block, i) => block({ listen: listens[i] ?? 0, ...PORTS, ...files })).join("\n");
  const proxy = await startProxy(kind, text, listens);
  const ask = (
    which: number,
    path: string,
    init: RequestInit & { readonly headers?: Record<string, string> } = {},
  ) =>
    fetch(`https://127.0.0.1:${listens[which]}${path}`, {
      redirect: "manual",
      ...init,
      headers: { host: "tower.example", "user-agent": CHROME, ...init.headers },
      tls: { rejectUnauthorized: false, serverName: "tower.example" },
    });
  return { ask, [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose]() };
}

const report = (size = 0) => ({
  method: "POST",
  headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" },
  body: JSON.stringify({
    asset: "harbor",
    generatedAt: new Date().toISOString(),
    metrics: {},
    ...(size > 0 && { padding: "x".repeat(size) }),
  }),
});
const signIn = (password: string, more: Readonly<Record<string, string>> = {}) => ({
  method: "POST",
  headers: { origin: ORIGIN, "sec-fetch-site": "same-origin", ...more },
  body: new URLSearchParams({ name: "dana", password }),
});

for (const { kind, reason } of kinds) {
  const suffix = reason === undefined ? "" : ` (not run here: ${reason})`;
  if (reason !== undefined) process.stdout.write(`${kind} before the service is not tried here: ${reason}\n`);
  const here = test.skipIf(reason !== undefined);

  describe(`${kind} before both listeners`, () => {
    here(
      `as the manual shows it: signing in over https, reports, and no word of a caller's is believed${suffix}`,
      async () => {
        await using proxy = await proxied(kind, [(at) => BLOCKS[kind](at)]);
        const forged = {
          "x-remote-user": "mallory",
          "x-forwarded-for": "203.0.113.9",
          "x-forwarded-proto": "http",
        };
        const response = await proxy.ask(0, "/sign-in", signIn(GOOD_PASSWORD, forged));
        const cookies = response.headers.getSetCookie();
        expect([response.status, response.headers.get("location")]).toEqual([303, "/"]);
        expect(cookies.every((line) => line.startsWith("__Host-") && line.includes("; Secure"))).toBe(true);
        const cookie = cookies.map((line) => line.split(";")[0]).join("; ");
        const page = await (
          await proxy.ask(0, "/settings/sessions", { headers: { cookie, ...forged } })
        ).text();
        expect(page).toContain("Signed in as <bdi hx-ignore>dana</bdi>");
        expect(page).not.toContain("203.0.113.9");
        expect((await proxy.ask(0, "/settings", { headers: forged })).status).toBe(303);
        expect((await proxy.ask(0, "/api/pulse", report())).status).toBe(201);
        expect(
          (await proxy.ask(0, "/api/pulse", { headers: { authorization: `Bearer ${TOKEN}` } })).status,
        ).toBe(405);
      },
    );

    here(
      `what Tower says of a long body that it refuses is what the sender hears, every time${suffix}`,
      async () => {
        await using proxy = await proxied(kind, [(at) => BLOCKS[kind](at)]);
        const statuses = [];
        for (let i = 0; i < 10; i++) {
          const response = await proxy.ask(0, "/api/pulse", report(600_000));
          statuses.push(response.status);
          expect(await response.text()).toContain("262144 bytes");
        }
        expect(new Set(statuses)).toEqual(new Set([413]));
        const stranger = { ...report(200_000), headers: { authorization: "Bearer none-of-ours" } };
        const refused = await Promise.all(
          Array.from({ length: 10 }, () => proxy.ask(0, "/api/pulse", stranger)),
        );
        expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([401]));
        expect((await proxy.ask(0, "/api/pulse", report())).status).toBe(201);
      },
    );

    here(`what is compressed and what is sent in chunks arrives whole${suffix}`, async () => {
      await using proxy = await proxied(kind, [(at) => BLOCKS[kind](at)]);
      const plain = await (
        await proxy.ask(0, "/openapi", { headers: { "accept-encoding": "identity" } })
      ).text();
      const gzip = await proxy.ask(0, "/openapi", { headers: { "accept-encoding": "gzip" } });
      expect(gzip.headers.get("content-encoding")).toBe("gzip");
      expect(await gzip.text()).toBe(plain);
      const { body, ...rest } = report();
      expect((await proxy.ask(0, "/api/pulse", { ...rest, body: new Blob([body]).stream() })).status).toBe(
        201,
      );
    });

    here(
      `one that forgets to set the trusted header lets nobody in; one that sets it, whom it names${suffix}`,
      async () => {
        await using proxy = await proxied(kind, [
          (at) => BLOCKS[kind](at, null),
          (at) => BLOCKS[kind](at, ADA[kind]),
        ]);
        const forged = { headers: { "x-remote-user": "mallory" } };
        expect((await proxy.ask(0, "/settings", forged)).headers.get("location")).toStartWith("/sign-in");
        const named = await proxy.ask(1, "/settings/audit", forged);
        expect(named.status).toBe(200);
        const page = await named.text();
        expect(page).toContain("Signed in as <bdi hx-ignore>ada</bdi>");
        expect(page).not.toContain("mallory");
      },
    );
  });
}

describe("nginx with a mistake", () => {
  const reason = kinds[0]?.reason;
  const suffix = reason === undefined ? "" : ` (not run here: ${reason})`;
  const without = (line: RegExp) => (at: Places) => nginxBlock(at).replace(line, "");

  test.skipIf(reason !== undefined)(
    `without Host the pages work, and under a name of its own it hears which setting helps${suffix}`,
    async () => {
      await using proxy = await proxied("nginx", [
        without(/.*proxy_set_header Host.*\n/),
        (at) => {
          const block = without(/.*proxy_set_header Host.*\n/)(at);
          const named = block.replace(`http://127.0.0.1:${at.tower}`, "http://towers");
          return `upstream towers { server 127.0.0.1:${at.tower}; keepalive 8; }\n${named}`;
        },
      ]);
      const wrong = await proxy.ask(0, "/sign-in", signIn("not the password"));
      expect([wrong.status, await wrong.text()]).toEqual([
        401,
        expect.stringContaining("Wrong name or password."),
      ]);
      const refused = await proxy.ask(1, "/healthz");
      expect([refused.status, await refused.text()]).toEqual([
        421,
        expect.stringContaining("ALLOWED_HOSTS=towers"),
      ]);
    },
  );
});

// Real reverse proxies in front of a service: nginx and Caddy, where the machine has them.

type ProxyKind = "nginx" | "caddy";

/** Why a proxy is not tried here; undefined where it is. */
function whyNoProxy(kind: ProxyKind): string | undefined {
  const missing = [kind, "openssl"].find((program) => Bun.which(program) === null);
  return missing === undefined ? undefined : `${missing} is not on this machine`;
}

/** A certificate of tower.example, signed by itself. */
function certificateIn(folder: string): { readonly certificate: string; readonly key: string } {
  const [certificate, key] = [join(folder, "tower.pem"), join(folder, "tower.key")];
  const made = Bun.spawnSync([
    ...["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"],
    ...["-days", "2", "-subj", "/CN=tower.example", "-addext", "subjectAltName=DNS:tower.example"],
    ...["-out", certificate, "-keyout", key],
  ]);
  if (made.exitCode !== 0) throw new Error(`no certificate: ${made.stderr}`);
  return { certificate, key };
}

/** A port that is free now. */
function freePort(): number {
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
  const { port } = server;
  server.stop(true);
  return port ?? 0;
}

/** What nginx needs around server blocks to run in a folder of its own, and what Caddy needs before sites. */
const AROUND: Readonly<Record<ProxyKind, (blocks: string, folder: string) => string>> = {
  nginx: (
    blocks,
    folder,
  ) => `daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/error.log;
events {}
http {
access_log off;
${["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((of) => `${of}_temp_path ${folder}/${of};`).join("\n")}
${blocks}}
`,
  caddy: (blocks) => `{
  admin off
  auto_https off
}
${blocks}`,
};
const COMMANDS: Readonly<Record<ProxyKind, (path: string, folder: string) => readonly string[]>> = {
  nginx: (path, folder) => ["nginx", "-c", path, "-p", folder, "-e", join(folder, "error.log")],
  caddy: (path) => ["caddy", "run", "--config", path, "--adapter", "caddyfile"],
};

/** Runs a proxy with these blocks until it is disposed of; there once each of the ports takes connections. */
async function startProxy(
  kind: ProxyKind,
  blocks: string,
  ports: readonly number[],
): Promise<AsyncDisposable> {
  const folder = temporaryFolder();
  mkdirSync(join(folder.path, "home"));
  const path = join(folder.path, "proxy.conf");
  writeFileSync(path, AROUND[kind](blocks, folder.path));
  const home = join(folder.path, "home");
  const child = Bun.spawn([...COMMANDS[kind](path, folder.path)], {
    env: { ...process.env, HOME: home, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home },
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
  });
  const errors = new Response(child.stderr).text();
  const end = async () => {
    child.kill("SIGTERM");
    await child.exited;
    folder[Symbol.dispose]();
  };
  for (const port of ports) {
    const { seen } = await until(
      async () => child.exitCode !== null || takes(port),
      (is) => is,
    );
    if (seen && child.exitCode === null) continue;
    await end();
    throw new Error(`${kind} did not come up: ${await errors}`);
  }
  return { [Symbol.asyncDispose]: end };
}

async function takes(port: number): Promise<boolean> {
  try {
    const socket = await Bun.connect({ hostname: "127.0.0.1", port, socket: { data: () => undefined } });
    socket.end();
    return true;
  } catch {
    return false;
  }
}

// The manual's blocks for a reverse proxy in front of both listeners, as they are tried.

/** Where a block's proxy listens and what it stands before. */
interface Places {
  readonly listen: number;
  readonly ingest: number;
  readonly tower: number;
  readonly certificate: string;
  readonly key: string;
}

/** What the trusted header is set to; `null` where the proxy forgets to set it. */
type Operator = string | null;

/** nginx: the server block. */
function nginxBlock(at: Places, operator: Operator = '""'): string {
  return placed(documentBlock("tower.conf"), at)
    .replace("listen 443 ssl", `listen 127.0.0.1:${at.listen} ssl`)
    .replace("/etc/ssl/tower.example.pem", at.certificate)
    .replace("/etc/ssl/tower.example.key", at.key)
    .replace(
      /^.*X-Remote-User.*$/m,
      operator === null ? "" : `  proxy_set_header X-Remote-User ${operator};`,
    );
}

/** Caddy: the site, which passes the host on, sets X-Forwarded-For and X-Forwarded-Proto and drops those of its callers by itself. */
function caddyBlock(at: Places, operator: Operator = "-X-Remote-User"): string {
  return placed(documentBlock("Caddyfile"), at)
    .replace(
      "tower.example {",
      `https://tower.example:${at.listen} {\n  bind 127.0.0.1\n  tls ${at.certificate} ${at.key}`,
    )
    .replace(/^.*X-Remote-User.*$/m, operator === null ? "" : `    header_up ${operator}`);
}

/** A block with the ports that the listeners got. */
function placed(block: string, at: Places): string {
  return block
    .replaceAll("127.0.0.1:4610", `127.0.0.1:${at.ingest}`)
    .replaceAll("127.0.0.1:4611", `127.0.0.1:${at.tower}`);
}
