/** An edge whose pages are made by `page`, behind which there is nothing. */

import { describe, expect, test } from "bun:test";
import { createHttpHandler, INGEST_HEADERS } from "../../src/base/http_handler.ts";
import { Problem } from "../../src/base/problem.ts";
import { FakeClock } from "../support/clock.ts";
import { seededIds } from "../support/ids.ts";
import { capturingLog } from "../support/log.ts";
import { expectProblem } from "../support/problem.ts";

function edgeWith(page: () => Response | undefined) {
  const { log, lines } = capturingLog();
  const counted: number[] = [];
  const edge = createHttpHandler({
    listener: "tower",
    route: () => {
      throw new Problem("not-found", "There is nothing at this address.");
    },
    hosts: () => ({ port: 4611, has: (host) => host === "localhost" }),
    refuseBrowsers: false,
    headers: INGEST_HEADERS,
    page,
    clock: new FakeClock(),
    ids: seededIds(),
    log,
    observe: (_, status) => counted.push(status),
  });
  const ask = (host: string) => edge(new Request("http://localhost/x", { headers: { host } }));
  return { ask, lines, counted };
}

describe("a refusal as a page", () => {
  test("is what a browser gets", async () => {
    const { ask } = edgeWith(() => new Response("<p>Nothing here.</p>", { status: 404 }));
    const response = await ask("localhost");
    expect([await response.text(), response.headers.has("x-request-id")]).toEqual([
      "<p>Nothing here.</p>",
      true,
    ]);
  });

  test("that cannot be made gives way to the problem document, is logged, and the answer is counted", async () => {
    const { ask, lines, counted } = edgeWith(() => {
      throw new Error("no database");
    });
    const { instance } = await expectProblem(await ask("localhost"), "not-found");
    expect(counted).toEqual([404]);
    expect(lines).toEqual([
      {
        level: "error",
        message: "the page of a refusal could not be made",
        properties: { request: instance, error: expect.stringContaining("no database") },
      },
    ]);
  });
});
