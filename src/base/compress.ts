/** Compressing answers: neither Bun nor Elysia does it. zstd where the browser takes it, else gzip at a low level. */

import { promisify } from "node:util";
import { gzip } from "node:zlib";

const COMPRESSIBLE = /^(?:text\/|application\/(?:json|problem\+json|javascript)|image\/svg\+xml)/;
/** Below this many bytes compression costs more than it saves. */
const LEAST_BYTES = 1_024;
/** Above this many bytes compression goes to another thread: here it would hold up every other request. */
const MOST_HERE = 64 * 1_024;

const GZIP_LEVEL = 2;
const ZSTD_LEVEL = 3;
const gzipElsewhere = promisify(gzip);

type Pack = (bytes: Uint8Array<ArrayBuffer>) => Uint8Array | Promise<Uint8Array>;
const HERE: Readonly<Record<"zstd" | "gzip", Pack>> = {
  zstd: (bytes) => Bun.zstdCompressSync(bytes, { level: ZSTD_LEVEL }),
  gzip: (bytes) => Bun.gzipSync(bytes, { level: GZIP_LEVEL }),
};
const ELSEWHERE: typeof HERE = {
  zstd: (bytes) => Bun.zstdCompress(bytes, { level: ZSTD_LEVEL }),
  gzip: (bytes) => gzipElsewhere(bytes, { level: GZIP_LEVEL }),
};

/** The answer, compressed when the request takes it and it pays. Bodies are whole in memory, never streams. */
export async function compressed(request: Request, response: Response): Promise<Response> {
  const type = response.headers.get("content-type") ?? "";
  if (response.body === null || response.headers.has("content-encoding") || !COMPRESSIBLE.test(type))
    return response;
  // A route that packs its own large answer comes through here twice.
  if (!/\baccept-encoding\b/.test(response.headers.get("vary") ?? "")) {
    response.headers.append("vary", "accept-encoding");
  }
  const encoding = chosenEncoding(request.headers.get("accept-encoding") ?? "");
  if (encoding === undefined || request.method === "HEAD") return response;
  const bytes = new Uint8Array(await response.arrayBuffer());
  const headers = new Headers(response.headers);
  if (bytes.byteLength < LEAST_BYTES) return new Response(bytes, { status: response.status, headers });
  headers.set("content-encoding", encoding);
  const packed = await (bytes.byteLength > MOST_HERE ? ELSEWHERE : HERE)[encoding](bytes);
  return new Response(packed as Uint8Array<ArrayBuffer>, { status: response.status, headers });
}

/** The encoding to answer with, or undefined; `q=0` refuses one. */
export function chosenEncoding(accept: string): "zstd" | "gzip" | undefined {
  return (["zstd", "gzip"] as const).find((name) => {
    const offered = new RegExp(`(?:^|,)\\s*${name}\\s*(;[^,]*)?(?:,|$)`, "i").exec(accept);
    return offered !== null && Number(/;\s*q=([\d.]+)/i.exec(offered[1] ?? "")?.[1] ?? 1) > 0;
  });
}
