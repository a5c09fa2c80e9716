/** The blocks of the manual for a reverse proxy in front of both listeners, as they are tried. */

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
  return `server {
  listen 127.0.0.1:${at.listen} ssl;
  server_name tower.example;
  ssl_certificate     ${at.certificate};
  ssl_certificate_key ${at.key};

  proxy_set_header Host $host;
  proxy_set_header X-Forwarded-For $remote_addr;
  proxy_set_header X-Forwarded-Proto $scheme;
${operator === null ? "" : `  proxy_set_header X-Remote-User ${operator};\n`}
  location / { proxy_pass http://127.0.0.1:${at.tower}; }
  location ~ ^/api/(pulse|codebase-report)$ { proxy_pass http://127.0.0.1:${at.ingest}; }
}
`;
}

/** Caddy: the site, which passes the host on, sets X-Forwarded-For and X-Forwarded-Proto and drops those of its callers by itself. */
export function caddyBlock(at: Places, operator: Operator = "-X-Remote-User"): string {
  return `https://tower.example:${at.listen} {
  bind 127.0.0.1
  tls ${at.certificate} ${at.key}
  @reports path /api/pulse /api/codebase-report
  reverse_proxy @reports 127.0.0.1:${at.ingest}
  reverse_proxy 127.0.0.1:${at.tower} {
    header_up Host {host}
${operator === null ? "" : `    header_up ${operator}\n`}  }
}
`;
}
