import { describe, expect, test } from "bun:test";
import { Elysia } from "elysia";
import { routerOf } from "../../../src/base/http_handler.ts";
import { Problem, ResponseThrown } from "../../../src/base/problem.ts";
import type { PageGround } from "../../../src/tower/ground.ts";
import { address, PAGE } from "../../../src/tower/kit/address.tsx";
import { here } from "../../../src/tower/kit/here.ts";
import { get, mounted, post, routesBehind } from "../../../src/tower/kit/route.ts";
import { paths } from "../../../src/tower/paths.ts";
import { FakeClock } from "../../support/clock.ts";
import { shellOf } from "../../support/tower_data.ts";

const ORIGIN = "http://localhost";
const ADA = { name: "ada", id: "operator:ada" };

/** An application of these routes with the order in which its checks were asked. */
function appOf(options: { readonly turnedAway?: boolean } = {}) {
  const asked: string[] = [];
  const page = () => {
    asked.push("gate");
    if (options.turnedAway === true) throw new ResponseThrown(new Response(null, { status: 303 }));
    return ADA;
  };
  const deps = {
    clock: new FakeClock(),
    sessions: { page },
    shellFor: () => {
      asked.push("shell");
      return shellOf();
    },
  } as unknown as PageGround;
  const note = (step: string) => {
    asked.push(step);
    return step;
  };
  const strict = routesBehind({
    form: { maxBytes: 10 },
    enter: () => ({ actor: ADA }),
    confirm: async (_request, _deps, { actor }) => {
      note(`confirm ${actor.name}`);
      throw new Problem("not-found", "Not confirmed.");
    },
  });
  const routes = [
    get(
      paths.siteFlags,
      { query: address({ page: PAGE }), find: ({ asset }) => note(`find ${asset}`) },
      ({ query, found }) => {
        note("handler");
        return Response.json({ page: query.page, found, shell: here().shell.operator });
      },
    ),
    post(
      paths.siteFlags,
      { find: ({ asset }) => note(`find ${asset}`), form: { read: (form) => Number(form.get("n")) } },
      ({ form, by }) => Response.json({ form, by: by.actor }),
    ),
    strict.post("/theme", {}, () => Response.json("handled")),
  ];
  const handle = routerOf(new Elysia().use(mounted(deps, routes)));
  return { asked, ask: (path: string, init?: RequestInit) => handle(new Request(`${ORIGIN}${path}`, init)) };
}

describe("a route", () => {
  test("hands its page the parameters, the query and what it found, after its gate; the shell is read when it is asked for", async () => {
    const { ask, asked } = appOf();
    const response = await ask("/sites/har%20bor/flags?page=3", {
      headers: { "hx-request": "true" },
    });
    expect(await response.json()).toEqual({
      page: 3,
      found: "find har bor",
      shell: shellOf().operator,
    });
    expect(asked).toEqual(["gate", "find har bor", "handler", "shell"]);
  });

  test("reads a form only after the gate and what the address names", async () => {
    const { ask, asked } = appOf();
    const sent = await ask("/sites/a/flags", { method: "POST", body: new URLSearchParams({ n: "7" }) });
    expect(await sent.json()).toEqual({ form: 7, by: "operator:ada" });
    const json = { method: "POST", body: "{}", headers: { "content-type": "application/json" } };
    await expect(ask("/sites/a/flags", json)).rejects.toMatchObject({ code: "unsupported-media-type" });
    expect(asked).toEqual(["gate", "find a", "gate", "find a"]);
  });

  test("reads nothing of whom its gate turns away", async () => {
    const { ask, asked } = appOf({ turnedAway: true });
    const json = { method: "POST", body: "{}", headers: { "content-type": "application/json" } };
    await expect(ask("/sites/a/flags", json)).rejects.toBeInstanceOf(ResponseThrown);
    expect(asked).toEqual(["gate"]);
  });

  test("bounds its form as the gate says, and is not handled where the gate does not confirm it", async () => {
    const { ask, asked } = appOf();
    const long = { method: "POST", body: new URLSearchParams({ text: "longer than ten" }) };
    await expect(ask("/theme", long)).rejects.toMatchObject({ code: "body-too-large" });
    const short = { method: "POST", body: new URLSearchParams({ a: "1" }) };
    await expect(ask("/theme", short)).rejects.toMatchObject({ detail: "Not confirmed." });
    expect(asked).toEqual(["confirm ada"]);
  });
});

describe("a place", () => {
  test("makes links from the pattern its route is mounted at, escaped", () => {
    expect(paths.nightlyReport("a/b", "2026-03-01", 2)).toBe("/sites/a%2Fb/reports/2026-03-01/2");
    expect(paths.nightlyReport.pattern).toBe("/sites/:asset/reports/:date/:revision");
  });
});
