/** An S3-compatible store of another's making, in this process, over a folder of the test's own. */

import { createRequire } from "node:module";
import { join } from "node:path";
import type { S3Settings } from "../../src/base/setting.ts";

interface Server {
  run(): Promise<{ readonly port: number }>;
  close(): Promise<void>;
}
type ServerClass = new (options: {
  readonly address: string;
  readonly port: number;
  readonly silent: boolean;
  readonly directory: string;
  readonly configureBuckets: readonly { readonly name: string }[];
}) => Server;

/** The bucket that is there, and the only key pair that is known. */
export const BUCKET = "bucket";
export const S3_KEY = "S3RVER";

/** Starts one on a free port of loopback. */
export async function startS3(folder: string, port = 0) {
  // Loaded with the first server: few of those who make objects need one.
  const S3rver = createRequire(import.meta.url)("s3rver") as ServerClass;
  const server = new S3rver({
    address: "127.0.0.1",
    port,
    silent: true,
    directory: folder,
    configureBuckets: [{ name: BUCKET }],
  });
  const at = await server.run();
  const endpoint = `http://127.0.0.1:${at.port}`;
  const settings: S3Settings = {
    endpoint,
    region: "us-east-1",
    accessKeyId: S3_KEY,
    secretAccessKey: S3_KEY,
  };
  return {
    settings,
    /** The same as a service reads it. */
    environment: {
      RAW_SIGNALS: `s3://${BUCKET}/raw`,
      S3_ENDPOINT: endpoint,
      S3_ACCESS_KEY_ID: S3_KEY,
      S3_SECRET_ACCESS_KEY: S3_KEY,
    },
    /** Where the server keeps what it was given under a key. */
    fileOf: (key: string) => join(folder, BUCKET, `${key}._S3rver_object`),
    close: () => server.close(),
  };
}
export type S3Server = Awaited<ReturnType<typeof startS3>>;
