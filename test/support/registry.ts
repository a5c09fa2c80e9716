/** The one package that a registry has: one file beside its own description. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const PACKAGE = "tiny";

/** A registry of packages on this machine, with one package in two versions. */
export interface Registry {
  readonly url: string;
  /** Answers packages from now on only once the promise that it returns is resolved. */
  hold(): () => void;
  /** Resolves when a package is asked for. */
  asked(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts one; packages are made in `folder`. */
export function startRegistry(folder: string): Registry {
  const versions = ["1.0.0", "2.0.0"];
  for (const version of versions) pack(folder, version);
  let held: Promise<void> = Promise.resolve();
  let asking = Promise.withResolvers<void>();
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      const path = new URL(request.url).pathname;
      if (path.endsWith(".tgz")) {
        asking.resolve();
        await held;
        const file = Bun.file(join(folder, path.split("/").at(-1) ?? ""));
        return (await file.exists()) ? new Response(file) : new Response(null, { status: 404 });
      }
      const tarball = (version: string) =>
        new URL(`/${PACKAGE}/-/${PACKAGE}-${version}.tgz`, request.url).href;
      return Response.json({
        name: PACKAGE,
        "dist-tags": { latest: "2.0.0" },
        versions: Object.fromEntries(
          versions.map((version) => [
            version,
            { name: PACKAGE, version, dist: { tarball: tarball(version) } },
          ]),
        ),
      });
    },
  });
  return {
    url: server.url.href,
    hold: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return resolve;
    },
    asked: () => {
      asking = Promise.withResolvers<void>();
      return asking.promise;
    },
    stop: () => server.stop(true),
  };
}

function pack(folder: string, version: string): void {
  const made = join(folder, version, "package");
  mkdirSync(made, { recursive: true });
  writeFileSync(join(made, "package.json"), JSON.stringify({ name: PACKAGE, version }));
  writeFileSync(join(made, "index.js"), `export default "${version}";\n`);
  const tarball = join(folder, `${PACKAGE}-${version}.tgz`);
  const { success, stderr } = Bun.spawnSync(["tar", "-czf", tarball, "-C", join(folder, version), "package"]);
  if (!success) throw new Error(stderr.toString());
}
