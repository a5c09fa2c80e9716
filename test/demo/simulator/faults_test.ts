/** Everything that can happen to an answer on its way, as a client of HTTP sees it. */

import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import type { Fault } from "../../../src/demo/simulator/script.ts";
import { startSimulators } from "../../../src/demo/simulator/simulators.ts";
import { authorized } from "../../support/simulated_google.ts";

const START = Date.UTC(2026, 10, 22, 8);
let now = START;
const simulators = startSimulators({
  now: () => now,
  seed: 1,
  world: {
    sites: [
      {
        name: "a.example",
        visitsPerDay: 200,
        firstDay: 20_000,
        analytics: { property: "1001", timeZone: "UTC" },
        searchConsole: { property: "sc-domain:a.example" },
        webmasterTools: { property: "https://a.example/" },
      },
    ],
  },
});
const headers = await authorized(simulators, START);
afterAll(() => simulators.stop());
beforeEach(() => {
  now = START;
  simulators.calm();
});

const PATIENCE_MS = 60;

/**
 * What came of a request: its status, or the code of the error; then the length of its body, or the code of the error in it. Where a part
 * never comes it is given up there, and not before: how long the parts before it take is the machine's matter.
 */
async function seen(missing?: "status" | "body"): Promise<readonly [number | string, number | string]> {
  const over = new AbortController();
  const giveUp = () =>
    setTimeout(() => over.abort(new DOMException("It never came.", "TimeoutError")), PATIENCE_MS);
  const codeOf = (error: unknown) => (error as { code?: string }).code ?? (error as Error).name;
  try {
    if (missing === "status") giveUp();
    const answer = await fetch(`${simulators.urls.searchConsole}/webmasters/v3/sites`, {
      headers,
      redirect: "error",
      signal: over.signal,
    });
    if (missing === "body") giveUp();
    try {
      return [answer.status, (await answer.text()).length];
    } catch (error) {
      return [answer.status, codeOf(error)];
    }
  } catch (error) {
    return [codeOf(error), ""];
  }
}
const WHOLE = (await seen())[1] as number;

describe("an answer", () => {
  test.each<readonly [Fault, number | string, number | string]>([
    [{ kind: "reset" }, "ECONNRESET", ""],
    [{ kind: "closed" }, "ECONNRESET", ""],
    [{ kind: "cut-headers" }, "ECONNRESET", ""],
    [{ kind: "cut-body" }, 200, "ECONNRESET"],
    [{ kind: "cut-chunked" }, 200, "ECONNRESET"],
    [{ kind: "cut-unframed" }, 200, Math.ceil(WHOLE / 2)],
    [{ kind: "chunked" }, 200, WHOLE],
    [{ kind: "gzip" }, 200, WHOLE],
    [{ kind: "bad-gzip" }, 200, "ZlibError"],
    [{ kind: "huge", bytes: 50 * 1024 * 1024 }, 200, 50 * 1024 * 1024],
    [{ kind: "gzip-bomb", bytes: 64 * 1024 * 1024 }, 200, 64 * 1024 * 1024],
    [{ kind: "drip", everyMs: 0 }, 200, WHOLE],
    [{ kind: "redirect" }, "UnexpectedRedirect", ""],
    [{ kind: "cut-json" }, 200, Math.floor(WHOLE / 2)],
    [{ kind: "text", text: "" }, 200, 0],
  ])("with %j", async (fault, status, body) => {
    simulators.script(fault);
    expect(await seen()).toEqual([status, body]);
    // Once only, and the next is as it should be.
    expect(await seen()).toEqual([200, WHOLE]);
  });

  test.each<Fault>([{ kind: "hang" }, { kind: "drip", everyMs: 60_000 }])(
    "that never ends: %j",
    async (fault) => {
      simulators.script(fault);
      const missing = fault.kind === "hang" ? "status" : "body";
      const [status, body] = await seen(missing);
      expect(missing === "status" ? status : body).toBe(23);
    },
  );

  test("of a gateway, under any content type and of no kind", async () => {
    const typeOf = async (fault: Fault) => {
      simulators.script(fault);
      const answer = await fetch(`${simulators.urls.searchConsole}/webmasters/v3/sites`, { headers });
      return [answer.status, answer.headers.get("content-type"), (await answer.text()).slice(0, 9)];
    };
    expect(await typeOf({ kind: "html" })).toEqual([200, "text/html; charset=UTF-8", "<!DOCTYPE"]);
    expect(await typeOf({ kind: "html", status: 504 })).toEqual([
      504,
      "text/html; charset=UTF-8",
      "<!DOCTYPE",
    ]);
    expect(await typeOf({ kind: "wrong-type" })).toEqual([200, "text/plain", '{"siteEnt']);
    expect(await typeOf({ kind: "error", error: "forbidden", status: 200 })).toEqual([
      200,
      "application/json; charset=UTF-8",
      '{"error":',
    ]);
  });
});

describe("a server that nothing listens for", () => {
  test("refuses for a stretch of time, and is back at the same address", async () => {
    simulators.script(
      { kind: "refused" },
      { server: "searchConsole", from: START + 1_000, to: START + 2_000 },
    );
    const at = async (ms: number) => {
      now = START + ms;
      simulators.heed();
      return (await seen())[0];
    };
    expect([await at(999), await at(1_000), await at(1_999), await at(2_000)]).toEqual([
      200,
      "ECONNREFUSED",
      "ECONNREFUSED",
      200,
    ]);
  });

  test("is one of them: the others answer", async () => {
    simulators.script({ kind: "refused" }, { server: "webmasterTools" });
    expect((await seen())[0]).toBe(200);
    const gone = fetch(`${simulators.urls.webmasterTools}/webmaster/api.svc/json/GetUserSites`);
    expect(await gone.catch((error: { code: string }) => error.code)).toBe("ECONNREFUSED");
  });
});

describe("a fault", () => {
  test("meets the requests that it names, so many of them, in the order of the queue", async () => {
    simulators.script({ kind: "html", status: 500 }, { server: "webmasterTools" });
    simulators.script({ kind: "html", status: 502 }, { operation: "sites", times: 2 });
    simulators.script({ kind: "html", status: 503 }, { property: "sc-domain:a.example" });
    expect([(await seen())[0], (await seen())[0], (await seen())[0]]).toEqual([502, 502, 200]);
    const site = await fetch(`${simulators.urls.searchConsole}/webmasters/v3/sites/sc-domain%3Aa.example`, {
      headers,
    });
    expect(site.status).toBe(503);
    expect(simulators.log.at(-1)).toMatchObject({
      status: 503,
      fault: "html",
      property: "sc-domain:a.example",
    });
  });

  test("that no provider tells is refused as it is queued", () => {
    expect(() => simulators.script({ kind: "error", error: "tea" }, { server: "searchConsole" })).toThrow(
      "searchConsole has no error named tea",
    );
  });

  test("of a stretch of time meets all of them, and nothing before and after", async () => {
    simulators.script({ kind: "html", status: 502 }, { from: START, to: START + 60_000 });
    const at = async (ms: number) => {
      now = START + ms;
      return (await seen())[0];
    };
    expect([await at(0), await at(1), await at(59_999), await at(60_000)]).toEqual([502, 502, 502, 200]);
  });

  test("of days tells one twice, leaves one out, or tells one of another century", async () => {
    const body = JSON.stringify({ startDate: "2026-11-09", endDate: "2026-11-15", dimensions: ["date"] });
    const days = async (kind?: "day-twice" | "day-absent" | "day-ahead") => {
      if (kind !== undefined) simulators.script({ kind });
      const path = "/webmasters/v3/sites/sc-domain%3Aa.example/searchAnalytics/query";
      const answer = await fetch(`${simulators.urls.searchConsole}${path}`, {
        method: "POST",
        headers,
        body,
      });
      return ((await answer.json()) as { rows: { keys: string[] }[] }).rows.map(({ keys }) => keys[0]);
    };
    const right = await days();
    expect(right.length).toBe(7);
    expect(await days("day-twice")).toEqual([...right, right[6]]);
    expect(await days("day-absent")).toEqual(right.filter((_, place) => place !== 3));
    expect(await days("day-ahead")).toEqual([...right, "2099-01-01"]);
  });
});
