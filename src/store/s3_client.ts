/** Questions to a bucket: each signed (AWS Signature Version 4) and sent once, followed nowhere else, its answer within bounds. */

import { createHmac } from "node:crypto";
import { type Clock, systemClock } from "../base/base.ts";
import { type HttpRequest, type HttpResult, httpRequest } from "../base/http_client.ts";
import { sha256Hex } from "../base/keys.ts";
import type { S3Settings } from "../base/setting.ts";

export interface BucketQuestion extends Pick<HttpRequest, "body" | "into" | "maxBytes" | "timeoutMs"> {
  readonly method: "GET" | "HEAD" | "PUT" | "DELETE";
  /** '' for the bucket itself. */
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  /** SHA-256 of the body, in hexadecimal. */
  readonly sha256?: string;
  /** Asks for a part of the object. */
  readonly part?: { readonly from: number; readonly bytes: number } | undefined;
  readonly signal?: AbortSignal | undefined;
}

const NOTHING = sha256Hex("");

export class BucketClient {
  readonly #bucket: string;
  readonly #settings: S3Settings;
  readonly #clock: Clock;

  constructor(bucket: string, settings: S3Settings, clock = systemClock) {
    this.#bucket = bucket;
    this.#settings = settings;
    this.#clock = clock;
  }

  /** Throws what its sink throws. */
  ask({ key, query = {}, sha256 = NOTHING, part, signal, ...request }: BucketQuestion): Promise<HttpResult> {
    const asked = Object.entries(query)
      .map(([name, value]) => `${written(name)}=${written(value)}`)
      .sort()
      .join("&");
    const path = `/${this.#bucket}/${key}`.split("/").map(written).join("/");
    const url = new URL(`${this.#settings.endpoint}${path}?${asked}`);
    const signed = this.#signed(request.method, url, asked, sha256);
    const range = part && { range: `bytes=${part.from}-${part.from + part.bytes - 1}` };
    const headers = { ...signed, ...range };
    return httpRequest({ ...request, url: url.href, headers, ...(signal === undefined ? {} : { signal }) });
  }

  #signed(method: string, url: URL, query: string, sha256: string): Readonly<Record<string, string>> {
    const { region, accessKeyId, secretAccessKey } = this.#settings;
    const moment = new Date(this.#clock.now()).toISOString().replace(/[-:]|\.\d+/g, "");
    const scope = [moment.slice(0, 8), region, "s3", "aws4_request"];
    const headers = { host: url.host, "x-amz-content-sha256": sha256, "x-amz-date": moment };
    const names = Object.keys(headers).join(";");
    const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}\n`);
    const canonical = [method, url.pathname, query, lines.join(""), names, sha256].join("\n");
    const text = ["AWS4-HMAC-SHA256", moment, scope.join("/"), sha256Hex(canonical)].join("\n");
    const key = scope.reduce<string | Buffer>((made, part) => hmac(made, part), `AWS4${secretAccessKey}`);
    const credential = `${accessKeyId}/${scope.join("/")}`;
    const signature = hmac(key, text).toString("hex");
    return {
      ...headers,
      authorization: `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names}, Signature=${signature}`,
    };
  }
}

const hmac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();

/** As the signature writes a part of an address: only what is unreserved stays. */
const written = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
