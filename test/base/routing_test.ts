import { describe, expect, test } from "bun:test";
import { type AnyElysia, Elysia } from "elysia";
import { pathOf, routerOf } from "../../src/base/http_handler.ts";
import { Problem } from "../../src/base/problem.ts";
import { words } from "../support/words.ts";

const feature = () =>
  new Elysia({ name: "feature" })
    .get("/things/:name", ({ params: { name } }) => Response.json({ name }))
    .get("/refused", () => {
      throw new Problem("conflict", "Sync.");
    })
    .post(
      "/refused",
      async () => {
        await Promise.resolve();
        throw new Problem("conflict", "Async.");
      },
      { parse: "none" },
    )
    .get("/broken", () => {
      throw new Error("secret");
    })
    .delete("/things/:name", () => new Response(null, { status: 204 }))
    .get("/files/*", () => new Response("file"));

const router = (app: AnyElysia = new Elysia().use(feature())) => routerOf(app);
const ask = (path: string, method = "GET") => router()(new Request(`http://localhost${path}`, { method }));
const refusal = (path: string, method = "GET") =>
  ask(path, method).then(
    () => undefined,
    (error: unknown) => error,
  );

describe("Elysia as a plain router", () => {
  test("answers under a host name of few letters", async () => {
    for (const origin of ["http://nas", "http://a", "http://[::1]:1"]) {
      const response = await router()(new Request(`${origin}/things/a?x=1`));
      expect(await response.json()).toEqual({ name: "a" });
    }
  });

  test("answers what a route answers", async () => {
    expect(await (await ask("/things/a")).json()).toEqual({ name: "a" });
    expect(await (await ask("/files/a/b.css")).text()).toBe("file");
    expect((await ask("/things/a?x=1")).status).toBe(200);
    expect((await ask("/things/a", "HEAD")).status).toBe(200);
  });

  test("throws on what a route throws, the same object, synchronous or not", async () => {
    expect(await refusal("/refused")).toMatchObject({ code: "conflict", detail: "Sync." });
    expect(await refusal("/refused", "POST")).toMatchObject({ code: "conflict", detail: "Async." });
    const broken = await refusal("/broken");
    expect(broken).toBeInstanceOf(Error);
    expect((broken as Error).message).toBe("secret");
  });

  test("does so for routes on the application itself and for nested features, too", async () => {
    const nested = new Elysia().use(new Elysia().use(feature())).get("/own", () => {
      throw new Problem("conflict", "Own.");
    });
    const route = router(nested);
    for (const path of ["/own", "/refused"]) {
      expect(route(new Request(`http://localhost${path}`))).rejects.toBeInstanceOf(Problem);
    }
  });

  test("an unknown path is not found", async () => {
    for (const path of words(`
      / /nothing /things /things/a/b /thing/a //refused /refused/ /%72efused /Refused
    `)) {
      expect(await refusal(path)).toMatchObject({ code: "not-found" });
    }
  });

  test("another method is told which ones are allowed", async () => {
    for (const method of ["POST", "PUT", "PATCH", "OPTIONS"]) {
      expect(await refusal("/things/a", method)).toMatchObject({
        code: "method-not-allowed",
        headers: { allow: "DELETE, GET, HEAD" },
      });
    }
    expect(await refusal("/refused", "DELETE")).toMatchObject({ headers: { allow: "GET, HEAD, POST" } });
    expect(await refusal("/nothing", "POST")).toMatchObject({ code: "not-found" });
  });

  test("a path's dots and brackets are text, not a pattern", async () => {
    const dotted = router(new Elysia().get("/a.b", () => new Response("x")));
    expect(dotted(new Request("http://localhost/aXb", { method: "POST" }))).rejects.toMatchObject({
      code: "not-found",
    });
    expect(dotted(new Request("http://localhost/a.b", { method: "POST" }))).rejects.toMatchObject({
      code: "method-not-allowed",
    });
  });
});

test("the path of a request is what stands before the query", () => {
  const of = (url: string) => pathOf({ url } as Request);
  expect(of("http://h:1/a/b?c=/d")).toBe("/a/b");
  expect(of("http://h/")).toBe("/");
  expect(of("http://h")).toBe("/");
});
