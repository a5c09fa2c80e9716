/** `GET /api/archive/objects/{sha256}`: the bytes of an archived report, compared before any of them is sent. */

import { join } from "node:path";
import { Elysia } from "elysia";
import { READ_REFUSALS } from "../access/access.ts";
import type { Endpoint } from "../base/api_description.ts";
import { type Clock, type Ids, randomToken } from "../base/base.ts";
import { Semaphore } from "../base/concurrency.ts";
import { matches } from "../base/http_handler.ts";
import { logOf } from "../base/log.ts";
import { Problem, ResponseThrown } from "../base/problem.ts";
import { isFull, isStorageFailure, storageFault } from "../base/storage_fault.ts";
import { type WholeObject, wholeObject } from "../store/object_check.ts";
import type { ObjectFault, ObjectStore, StoredObject } from "../store/objects.ts";
import { isObjectName, longestMsFor, StoreFault } from "../store/objects.ts";
import { type Db, statement } from "../store/store.ts";
import type { Writer } from "../store/writer.ts";
import { FAULT_WORDS } from "./manifest_copy.ts";
import { findObject } from "./objects.ts";
import { noteDamage } from "./verify_events.ts";

// Where reports lie on their way into the archive; nothing in it outlives a run.

export const spoolFolder = (dataDir: string): string => join(dataDir, "archive-spool");

interface ObjectReadDeps {
  readonly db: Db;
  readonly writer: Pick<Writer, "write" | "background">;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly objects: ObjectStore;
  readonly config: { readonly dataDir: string };
  readonly authorizeRead: (request: Request) => unknown;
}

/** Seconds after which a store that cannot be used may be asked again. */
const RETRY_AFTER_SECONDS = "30";
/** Objects that are read and sent at once: each may take a file and minutes. Others wait a moment. */
const AT_ONCE = 4;
const LONGEST_WAIT_MS = 2_000;

export const READ_OBJECT = {
  id: "readArchiveObject",
  tag: "Reading",
  method: "GET",
  path: "/api/archive/objects/:sha256",
  listeners: ["tower"],
  summary: "Read an object of the archive",
  description:
    "The report as its provider answered it, uncompressed: pages follow one another, each from a new line on. The manifest names objects. What is answered was read whole and compared with its name before the first byte is sent; an object that is damaged is never answered. It never changes, so an `If-None-Match` with its `ETag` is answered with 304 for as long as the manifest names it.",
  open: "reader",
  segments: {
    sha256: {
      schema: { type: "string", pattern: "^[0-9a-f]{64}$" },
      description: "The SHA-256 of its bytes, as `object` of the manifest says it.",
    },
  },
  answers: {
    200: {
      description: "Its bytes, as a file.",
      type: "application/octet-stream",
      shape: { type: "string", contentMediaType: "application/octet-stream" },
      example: '{"rows":[{"keys":["/"],"clicks":12}]}',
    },
    304: { description: "The reader has it." },
  },
  refuses: [...READ_REFUSALS, "not-found", "object-damaged", "object-missing", "archive-unavailable"],
} as const satisfies Endpoint;

const namedBy = statement<{ id: number }, [Uint8Array]>(
  "SELECT id FROM archive_report WHERE object IN (SELECT id FROM archive_object WHERE sha256 = ?) LIMIT 1",
);

/** `GET /api/archive/objects/{sha256}`: the bytes of a report, never damaged ones. */
export function objectReads(deps: ObjectReadDeps) {
  const turns = new Semaphore(AT_ONCE);
  return new Elysia().get(READ_OBJECT.path, async ({ request, params: { sha256 } }) => {
    deps.authorizeRead(request);
    const object = namedObject(deps.db, sha256);
    if (object === undefined) throw new Problem("not-found", "The archive's manifest names no such object.");
    const headers = headersOf(object);
    if (matches(request.headers.get("if-none-match"), `"${sha256}"`)) {
      return new Response(null, { status: 304, headers });
    }
    if (request.method === "HEAD") {
      // Of an answer without a body the router would say that it has no length.
      throw new ResponseThrown(
        new Response(null, { headers: { ...headers, "content-length": String(object.bytes) } }),
      );
    }
    if (!(await turns.enter(LONGEST_WAIT_MS))) throw busy();
    try {
      const whole = await wholeOrProblem(deps, object, request.signal);
      return new Response(
        bodyOf(whole, object, () => turns.leave()),
        { headers },
      );
    } catch (error) {
      turns.leave();
      throw error;
    }
  });
}

function namedObject(db: Db, sha256: string): StoredObject | undefined {
  if (!isObjectName(sha256) || namedBy(db).first(Buffer.from(sha256, "hex")) === undefined) return undefined;
  return findObject(db, sha256);
}

const headersOf = ({ sha256 }: StoredObject) => ({
  "content-type": "application/octet-stream",
  "content-disposition": `attachment; filename="${sha256}"`,
  "x-content-type-options": "nosniff",
  "cache-control": "private, max-age=31536000, immutable",
  etag: `"${sha256}"`,
});

const busy = () =>
  new Problem("archive-unavailable", `${AT_ONCE} objects are being read already: ask again in a moment.`, {
    headers: { "retry-after": "5" },
  });

async function wholeOrProblem(deps: ObjectReadDeps, object: StoredObject, signal: AbortSignal) {
  const { objects, config, ids } = deps;
  const path = join(spoolFolder(config.dataDir), `read-${randomToken(ids, 12)}`);
  let whole: WholeObject | ObjectFault;
  try {
    whole = await wholeObject(objects, object, path, signal);
  } catch (error) {
    // Who has left is told nothing, and nothing is wrong with the store.
    throw signal.aborted ? busy() : unavailable(error);
  }
  if (typeof whole !== "string") return whole;
  noteAtOnce(deps, object.sha256, whole);
  throw new Problem(
    whole === "missing" ? "object-missing" : "object-damaged",
    `Object ${object.sha256} ${FAULT_WORDS[whole]}. Nothing of it is answered.`,
  );
}

/** The store cannot be used now, or there is no room for what waits to be sent. */
function unavailable(error: unknown): unknown {
  const isOfStorage = isStorageFailure(error) || isFull(error);
  if (!(error instanceof StoreFault) && !isOfStorage) return error;
  const words = error instanceof StoreFault ? error.why : storageFault(error);
  logOf("archive").error("an object could not be read", { reason: words });
  return new Problem("archive-unavailable", `The archive cannot be read now: ${words}.`, {
    headers: { "retry-after": RETRY_AFTER_SECONDS },
  });
}

function noteAtOnce({ writer, clock }: ObjectReadDeps, sha256: string, fault: ObjectFault): void {
  const noted = writer.write((tx) => noteDamage(tx, sha256, fault, clock.now()));
  writer.background(noted, (cause) => {
    logOf("archive").error("a damaged object could not be noted", { sha256, reason: storageFault(cause) });
  });
}

/** Is read as fast as it is taken, for as long as a slow line may take, and then closes what it holds. */
function bodyOf(whole: WholeObject, { bytes }: StoredObject, closed: () => void): ReadableStream<Uint8Array> {
  const pieces = whole.pieces();
  let isClosed = false;
  const close = async () => {
    if (isClosed) return;
    isClosed = true;
    clearTimeout(timer);
    closed();
    await whole.close();
  };
  const timer = setTimeout(() => void close(), longestMsFor(bytes));
  return new ReadableStream<Uint8Array>({
    pull: async (body) => {
      try {
        const next = isClosed ? undefined : await pieces.next();
        if (next === undefined) throw new Error("it is taken too slowly");
        if (next.done !== true) return body.enqueue(next.value);
      } catch (error) {
        await close();
        throw error;
      }
      await close();
      body.close();
    },
    cancel: async () => {
      await pieces.return(undefined);
      await close();
    },
  });
}
