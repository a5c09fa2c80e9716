import { afterAll, beforeAll, expect, test } from "bun:test";
import { temporaryFolder } from "../support/folder.ts";
import { runToEnd, type Service, startService } from "../support/service.ts";

const ANY_PORT = { INGEST_PORT: "0", TOWER_PORT: "0" };
const folder = temporaryFolder();
let first: Service;
beforeAll(async () => {
  first = await startService({ ...ANY_PORT, DATA_DIR: folder.path });
});
afterAll(async () => {
  await first.end("SIGKILL");
  folder[Symbol.dispose]();
});
const portOf = (url: string) => new URL(url).port;

test.each([
  ["INGEST", "127.0.0.1"],
  ["TOWER", "0.0.0.0"],
] as const)(
  "no two services share a port: the second one's %s_PORT on %s is refused in one line",
  async (which, host) => {
    using other = temporaryFolder();
    const port = portOf(which === "INGEST" ? first.ingestUrl : first.towerUrl);
    const ended = await runToEnd("main.ts", [], {
      ...ANY_PORT,
      DATA_DIR: other.path,
      TOWER_PLAIN_HTTP: "1",
      [`${which}_PORT`]: port,
      [`${which}_HOST`]: host,
    });
    expect([ended.code, ended.out]).toEqual([1, ""]);
    expect(ended.err).toMatch(
      new RegExp(
        `^tower: ${which}_PORT ${port} is taken on ${host} by another program.*${which}_PORT=\\d+\n$`,
      ),
    );
    expect((await fetch(`${first.towerUrl}/readyz`)).status).toBe(200);
  },
);

test("one port for both listeners is refused, also where one address takes in the other", async () => {
  using other = temporaryFolder();
  const ended = await runToEnd("main.ts", [], {
    DATA_DIR: other.path,
    TOWER_PLAIN_HTTP: "1",
    TOWER_HOST: "0.0.0.0",
    INGEST_PORT: "21007",
    TOWER_PORT: "21007",
  });
  expect([ended.code, ended.out]).toEqual([1, ""]);
  expect(ended.err).toStartWith("tower: INGEST_PORT and TOWER_PORT are both 21007: ");
});
