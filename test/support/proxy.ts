/** Real reverse proxies in front of a service: nginx and Caddy, where the machine has them. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { documentBlock } from "./documents.ts";
import { temporaryFolder } from "./folder.ts";
import { until } from "./until.ts";

export type ProxyKind = "nginx" | "caddy";

/** Why a proxy is not tried here; undefined where it is. */
export function whyNoProxy(kind: ProxyKind): string | undefined {
  const missing = [kind, "openssl"].find((program) => Bun.which(program) === null);
  return missing === undefined ? undefined : `${missing} is not on this machine`;
}

/** A certificate of tower.example, signed by itself. */
export function certificateIn(folder: string): { readonly certificate: string; readonly key: string } {
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
export function freePort(): number {
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
export async function startProxy(
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
export interface Places {
  readonly listen: number;
  readonly ingest: number;
  readonly tower: number;
  readonly certificate: string;
  readonly key: string;
}

/** What the trusted header is set to; `null` where the proxy forgets to set it. */
export type Operator = string | null;

/** nginx: the server block. */
export function nginxBlock(at: Places, operator: Operator = '""'): string {
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
export function caddyBlock(at: Places, operator: Operator = "-X-Remote-User"): string {
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
