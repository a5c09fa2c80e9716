import { expect, test } from "bun:test";
import { Elysia } from "elysia";
import { pathOf, routerOf } from "../../src/base/http_handler.ts";

test("a router answers under a host name of few letters", async () => {
  const router = routerOf(
    new Elysia().get("/things/:name", ({ params: { name } }) => Response.json({ name })),
  );
  for (const origin of ["http://nas", "http://a", "http://[::1]:1"]) {
    const response = await router(new Request(`${origin}/things/a?x=1`));
    expect(await response.json()).toEqual({ name: "a" });
  }
});

test("a path's dots and brackets are text, not a pattern; a name has a sign at least", async () => {
  const answer = () => new Response("x");
  const router = routerOf(new Elysia().get("/a.b", answer).get("/a/:b", answer));
  const refusal = (path: string) => router(new Request(`http://localhost${path}`, { method: "POST" }));
  await expect(refusal("/aXb")).rejects.toMatchObject({ code: "not-found" });
  await expect(refusal("/a/")).rejects.toMatchObject({ code: "not-found" });
  await expect(refusal("/a.b")).rejects.toMatchObject({ code: "method-not-allowed" });
});

test("the path of a request is what stands before the query", () => {
  const of = (url: string) => pathOf({ url } as Request);
  expect(of("http://h:1/a/b?c=/d")).toBe("/a/b");
  expect(of("http://h/")).toBe("/");
  expect(of("http://h")).toBe("/");
});
