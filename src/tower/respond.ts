/** Answers of the Tower: whole pages with an ETag, fragments for htmx, and redirects after a form. */
import { formatInstant } from "../lib/instant.ts";
import { matches, tagOf } from "../platform/etag.ts";
import { Clock } from "./component/time.tsx";
import { render, renderDocument } from "./jsx/jsx-runtime.ts";
import type { Safe } from "./jsx/safe.ts";
import { isUnsafe } from "./origin.ts";

const HTML = "text/html; charset=utf-8";

/** How a page may be answered. */
export interface PageOptions {
  readonly status?: number;
  /** The page holds a secret: no browser may keep it. What answers a form is never kept. */
  readonly noStore?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  /** The moment the page is of, as it says itself. A refresh is told it beside the page, which may be the same as before. */
  readonly readAt?: number;
}

/** A whole page: `private, no-cache` with an ETag, so that an unchanged page costs a 304. */
export function htmlPage(request: Request, page: Safe, options: PageOptions = {}): Response {
  return htmlAnswer(request, renderDocument(page), options);
}

/** A fragment that htmx swaps in; it too has an ETag. */
export function htmlFragment(request: Request, fragment: Safe, options: PageOptions = {}): Response {
  return htmlAnswer(request, render(fragment), options);
}

function htmlAnswer(request: Request, html: string, options: PageOptions): Response {
  const status = options.status ?? 200;
  const headers = new Headers({ "content-type": HTML, ...options.headers });
  headers.append("vary", `HX-Request, ${REFRESH}`);
  if (options.readAt !== undefined) headers.set("tower-read-at", formatInstant(options.readAt));
  if (options.noStore === true || status !== 200 || isUnsafe(request.method)) {
    headers.set("cache-control", "no-store");
    return new Response(html, { status, headers });
  }
  const etag = tagOf(isRefresh(request) ? withoutMoment(html, options.readAt) : html);
  headers.set("etag", etag);
  headers.set("cache-control", "private, no-cache");
  if (matches(request.headers.get("if-none-match"), etag)) {
    headers.delete("content-type");
    return new Response(null, { status: 304, headers });
  }
  return new Response(html, { status, headers });
}

/** A page that reads itself anew (`public/live.js`) and shows the moment apart: whether anything else is new is what it asks. */
const REFRESH = "Tower-Refresh";

/** Whether a page asks for itself anew. */
export function isRefresh(request: Request): boolean {
  return request.headers.has(REFRESH);
}

/** A page without the moment it is of. */
function withoutMoment(html: string, readAt: number | undefined): string {
  return readAt === undefined ? html : html.replaceAll(render(Clock({ at: readAt, seconds: true })), "");
}

/** After a form: on to another page of ours, by GET. */
export function seeOther(path: string): Response {
  return new Response(null, { status: 303, headers: { location: path, "cache-control": "no-store" } });
}

/** Whether htmx made the request and wants a fragment. */
export function isHtmx(request: Request): boolean {
  return request.headers.get("hx-request") === "true";
}
