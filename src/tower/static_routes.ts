import { Elysia } from "elysia";
import { chosenEncoding } from "../platform/compress.ts";
import { matches } from "../platform/etag.ts";
import { Problem } from "../platform/problem.ts";
import { pathOf } from "../platform/routing.ts";
import { paths } from "./paths.ts";
import { STATIC_CACHE, type StaticFiles } from "./static.ts";

/** `/static/*`: the files every page loads; an address holds its file's hash and may be kept for ever. */
export function staticRoutes(files: StaticFiles) {
  return new Elysia({ name: "static" }).get(paths.staticFiles, async ({ request }) => {
    const file = files.find(pathOf(request));
    if (file === undefined) throw new Problem("not-found", "No such file.");
    const headers = new Headers({
      "content-type": file.type,
      "cache-control": STATIC_CACHE,
      etag: file.etag,
      vary: "accept-encoding",
    });
    if (matches(request.headers.get("if-none-match"), file.etag))
      return new Response(null, { status: 304, headers });
    const encoding = chosenEncoding(request.headers.get("accept-encoding") ?? "");
    if (encoding !== undefined) headers.set("content-encoding", encoding);
    const body = encoding === undefined ? file.body : await file.packed(encoding);
    return new Response(request.method === "HEAD" ? null : body, { headers });
  });
}
