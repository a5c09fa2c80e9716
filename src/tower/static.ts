/**
 * The files of `public/`, read once: each under an address that holds its content hash, so that a browser may keep
 * it for ever, and packed once for the encodings browsers take. Knows nothing of the router.
 */
import { readdirSync, readFileSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { paths } from "./paths.ts";
import type { PageAssets } from "./shell.ts";

const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** Where the files are served. */
const STATIC_PREFIX = paths.staticFiles.slice(0, -1);

/** Headers that let a browser keep a file whose address holds its hash. */
export const STATIC_CACHE = "public, max-age=31536000, immutable";

type Bytes = Uint8Array<ArrayBuffer>;

/** One file, ready to be answered. */
export interface StaticFile {
  readonly name: string;
  /** Its address, with the hash: `/static/tower.1f0c….css`. */
  readonly url: string;
  readonly type: string;
  /** A strong validator, quoted. */
  readonly etag: string;
  readonly body: Bytes;
  /** The body packed, made once, on another thread. */
  readonly packed: (encoding: "gzip" | "zstd") => Promise<Bytes>;
}

export interface StaticFiles {
  /** The file at a request's path; undefined for an unknown path or an old hash. */
  find(path: string): StaticFile | undefined;
  /** The address of a file. @throws Error when `public/` has no such file. */
  url(name: string): string;
}

function prepared(name: string, type: string, body: Bytes): StaticFile {
  const hash = new Bun.CryptoHasher("sha256").update(body).digest("hex").slice(0, 16);
  const extension = extname(name);
  const url = `${STATIC_PREFIX}${name.slice(0, -extension.length)}.${hash}${extension}`;
  return {
    name,
    url,
    type,
    etag: `"${hash}"`,
    body,
    packed: packerOf(body),
  };
}

const gzipElsewhere = promisify(gzip);

function packerOf(body: Bytes): StaticFile["packed"] {
  const made = new Map<string, Promise<Bytes>>();
  return (encoding) => {
    const known = made.get(encoding);
    if (known !== undefined) return known;
    const packing =
      encoding === "zstd" ? Bun.zstdCompress(body, { level: 19 }) : gzipElsewhere(body, { level: 9 });
    const packed = packing.then((bytes) => new Uint8Array(bytes));
    made.set(encoding, packed);
    packed.catch(() => made.delete(encoding));
    return packed;
  };
}

/** Prepares files by name. Two files of one name would hide each other, so names are unique. */
export function prepareStatic(contents: Iterable<readonly [name: string, body: Bytes]>): StaticFiles {
  const byName = new Map<string, StaticFile>();
  const byUrl = new Map<string, StaticFile>();
  for (const [name, body] of contents) {
    const type = TYPES[extname(name)];
    if (type === undefined) continue;
    if (byName.has(name)) throw new Error(`two public files are called ${name}`);
    const file = prepared(name, type, body);
    byName.set(name, file);
    byUrl.set(file.url, file);
  }
  return {
    find: (path) => byUrl.get(path),
    url(name) {
      const file = byName.get(name);
      if (file === undefined) throw new Error(`no public file is called ${name}`);
      return file.url;
    },
  };
}

/** Reads a folder with all below it. Files of other kinds (the notes on vendored files) are not served. */
export function readStatic(folder: string): StaticFiles {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return prepareStatic(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => {
        const body = new Uint8Array(readFileSync(join(entry.parentPath, entry.name)));
        return [basename(entry.name), body] as const;
      }),
  );
}

/** The addresses every page names. */
export function pageAssets(files: StaticFiles): PageAssets {
  return {
    css: files.url("tower.css"),
    htmx: files.url("htmx.min.js"),
    script: files.url("tower.js"),
    live: files.url("live.js"),
    wall: files.url("wall.js"),
    keys: files.url("keys.js"),
    days: files.url("days.js"),
    icon: files.url("favicon.svg"),
  };
}
