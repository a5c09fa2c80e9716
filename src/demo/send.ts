/** Sending to the ingest, as a site does it: over HTTP, with its token, one after the other. */

import { httpRequest } from "../platform/http.ts";
import { DemoFault } from "./fault.ts";

const PATIENCE_MS = 30_000;
const MOST_BYTES = 1024 * 1024;

/** Posts a body. Throws `DemoFault` with the answer where it was not taken. */
export async function post(url: string, token: string, body: object): Promise<void> {
  const answer = await httpRequest({
    url,
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
    timeoutMs: PATIENCE_MS,
    maxBytes: MOST_BYTES,
  });
  if (!answer.ok) throw new DemoFault(`${new URL(url).pathname} did not answer: ${answer.message}`);
  if (answer.status >= 300)
    throw new DemoFault(`${new URL(url).pathname} answered ${answer.status}: ${answer.text.slice(0, 400)}`);
}
