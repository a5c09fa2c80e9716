/** A certificate that nobody signed but itself. */

import { temporaryFolder } from "./folder.ts";
import { words } from "./words.ts";

/** For a host's name, with its key, both in PEM. */
export async function selfSigned(name: string): Promise<{ readonly key: string; readonly cert: string }> {
  using folder = temporaryFolder();
  const [key, cert] = [`${folder.path}/key.pem`, `${folder.path}/cert.pem`];
  const made = Bun.spawnSync([
    ...words(`
      openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30
    `),
    ...["-keyout", key, "-out", cert, "-subj", `/CN=${name}`, "-addext", `subjectAltName=DNS:${name}`],
  ]);
  if (!made.success) throw new Error(`openssl: ${made.stderr}`);
  return { key: await Bun.file(key).text(), cert: await Bun.file(cert).text() };
}
