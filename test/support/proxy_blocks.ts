/** The README's blocks for a reverse proxy in front of both listeners, as they are tried. */

import { readmeBlock } from "./readme.ts";

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
  return placed(readmeBlock("tower.conf"), at)
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
  return placed(readmeBlock("Caddyfile"), at)
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
