import { expect, test } from "bun:test";
import { bindError } from "../src/app/bind_fault.ts";

const listener = (host: string) => ({ host, port: 4610, publicUrl: undefined });
const config = (host: string) => ({ ingest: listener(host), tower: listener("127.0.0.1") });
const failed = (code: string) => Object.assign(new Error("listen"), { code });

test("a name without an address is told as that, whatever number the runtime's error carries", async () => {
  for (const code of ["ENOENT", "EINVAL", "EADDRINUSE", "EPERM"]) {
    expect(await bindError(failed(code), "INGEST", config("no..name"))).toBe(
      "INGEST_HOST no..name is a name that this computer finds no address for, for example INGEST_HOST=127.0.0.1",
    );
  }
});

test("an address of another computer and a port that is taken are told with the setting and an example", async () => {
  expect(await bindError(failed("EADDRNOTAVAIL"), "INGEST", config("192.0.2.9"))).toBe(
    "INGEST_HOST 192.0.2.9 is not an address of this computer, for example INGEST_HOST=127.0.0.1",
  );
  expect(await bindError(failed("EADDRINUSE"), "INGEST", config("[::1]"))).toStartWith(
    "INGEST_PORT 4610 is taken",
  );
  expect(await bindError(failed("EMFILE"), "INGEST", config("127.0.0.1"))).toBeUndefined();
});
