/** Reading requests from bytes and writing answers as bytes: by hand, so that every way in which an answer can go wrong can be told. */

export interface SimulatedRequest {
  readonly method: string;
  /** As it was sent, escapes and all. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Headers;
  readonly body: string;
}

export interface SimulatedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

const HEAD_END = Buffer.from("\r\n\r\n");

/** The first request of some bytes, and how many of them it takes; undefined while more are to come. */
export function readRequest(
  bytes: Buffer,
): { readonly request: SimulatedRequest; readonly length: number } | undefined {
  const headEnd = bytes.indexOf(HEAD_END);
  if (headEnd < 0) return undefined;
  const [first = "", ...lines] = bytes.subarray(0, headEnd).toString("latin1").split("\r\n");
  const [method = "", target = "/"] = first.split(" ");
  const headers = new Headers();
  for (const line of lines) {
    const colon = line.indexOf(":");
    if (colon > 0) headers.append(line.slice(0, colon).trim(), line.slice(colon + 1).trim());
  }
  const from = headEnd + HEAD_END.byteLength;
  const body = headers.get("transfer-encoding")?.toLowerCase().includes("chunked")
    ? readChunks(bytes, from)
    : readLength(bytes, from, Number(headers.get("content-length") ?? 0));
  if (body === undefined) return undefined;
  const mark = target.indexOf("?");
  return {
    length: body.end,
    request: {
      method,
      path: mark < 0 ? target : target.slice(0, mark),
      query: new URLSearchParams(mark < 0 ? "" : target.slice(mark + 1)),
      headers,
      body: body.text,
    },
  };
}

function readLength(bytes: Buffer, from: number, length: number) {
  const end = from + length;
  return bytes.byteLength < end ? undefined : { text: bytes.subarray(from, end).toString("utf8"), end };
}

function readChunks(bytes: Buffer, from: number) {
  const parts: Buffer[] = [];
  for (let at = from; ; ) {
    const lineEnd = bytes.indexOf("\r\n", at);
    if (lineEnd < 0) return undefined;
    const size = Number.parseInt(bytes.subarray(at, lineEnd).toString("latin1"), 16);
    const end = lineEnd + 2 + size + 2;
    if (Number.isNaN(size) || bytes.byteLength < end) return undefined;
    if (size === 0) return { text: Buffer.concat(parts).toString("utf8"), end };
    parts.push(bytes.subarray(lineEnd + 2, end - 2));
    at = end;
  }
}

const PHRASES: Readonly<Record<number, string>> = {
  200: "OK",
  202: "Accepted",
  301: "Moved Permanently",
  302: "Found",
  307: "Temporary Redirect",
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  429: "Too Many Requests",
  500: "Internal Server Error",
  502: "Bad Gateway",
  503: "Service Unavailable",
  504: "Gateway Timeout",
};

/** The lines before a body, the empty one included. */
export function headOf(answer: SimulatedAnswer, framing: Readonly<Record<string, string>>): Buffer {
  const { status } = answer;
  const lines = Object.entries({ ...answer.headers, ...framing }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return Buffer.from(`HTTP/1.1 ${status} ${PHRASES[status] ?? "Status"}\r\n${lines.join("")}\r\n`);
}

export const bytesOf = (body: string | Uint8Array): Buffer =>
  typeof body === "string" ? Buffer.from(body) : Buffer.from(body.buffer, body.byteOffset, body.byteLength);

/** An answer of JSON. */
export function json(
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): SimulatedAnswer {
  return {
    status,
    headers: { "content-type": "application/json; charset=UTF-8", ...headers },
    body: JSON.stringify(value),
  };
}

/** A page for people, as gateways answer with. */
export function html(status: number, body: string): SimulatedAnswer {
  return { status, headers: { "content-type": "text/html; charset=UTF-8" }, body };
}
