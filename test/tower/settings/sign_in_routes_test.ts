import { describe, expect, test } from "bun:test";
import { addOperator } from "../../../src/access/operators.ts";
import { GOOD_PASSWORD } from "../../support/operators.ts";
import { Walk } from "../../support/tower.ts";

async function withAda(): Promise<Walk> {
  const walk = new Walk();
  await addOperator(walk.deps, { name: "ada", password: GOOD_PASSWORD }, { actor: "command-line", now: 0 });
  return walk;
}

describe("/sign-in", () => {
  test("shows the form, carrying where to go on", async () => {
    const walk = await withAda();
    const response = await walk.get("/sign-in?to=/flags?status=open");
    expect(response.status).toBe(200);
    expect(response.headers.get("cache-control")).toBe("private, no-cache");
    expect(response.headers.get("etag")).not.toBeNull();
    expect(await response.text()).toContain('value="/flags?status=open"');
  });

  test("signs in and goes on to a page of ours", async () => {
    const walk = await withAda();
    const response = await walk.post("/sign-in", {
      name: "ada",
      password: GOOD_PASSWORD,
      to: "/flags?status=open",
    });
    expect(response.status).toBe(303);
    expect(response.headers.get("location")).toBe("/flags?status=open");
    expect((await walk.get("/sign-in?to=/timeline")).headers.get("location")).toBe("/timeline");
  });

  test("never leads to another host", async () => {
    const walk = await withAda();
    for (const to of ["//evil.example", "https://evil.example", "/\\evil.example"]) {
      const response = await walk.post("/sign-in", { name: "ada", password: GOOD_PASSWORD, to });
      expect(response.headers.get("location")).toBe("/");
    }
  });

  test("unknown name, same answer: byte by byte but for the name that was typed", async () => {
    const walk = await withAda();
    const answer = async (name: string) => {
      const response = await walk.post("/sign-in", { name, password: "wrong wrong wrong" });
      return { status: response.status, text: (await response.text()).replaceAll(`value="${name}"`, "") };
    };
    const known = await answer("ada");
    expect(known.status).toBe(401);
    expect(known).toEqual(await answer("bob"));
    expect(walk.cookies().size).toBe(0);
  });

  test("says how long to wait, as 429 with Retry-After", async () => {
    const walk = await withAda();
    for (let i = 0; i < 5; i++) await walk.post("/sign-in", { name: "ada", password: "wrong wrong wrong" });
    const response = await walk.post("/sign-in", { name: "ada", password: GOOD_PASSWORD });
    expect(response.status).toBe(429);
    expect(response.headers.get("retry-after")).toBe("1");
    expect(await response.text()).toContain("Try again in 1 second.");
  });

  test("says on a full disk that nobody was signed in, and nothing of a report", async () => {
    const walk = await withAda();
    await walk.get("/sign-in");
    walk.deps.store.raw.run("PRAGMA query_only = ON");
    const response = await walk.post("/sign-in", { name: "ada", password: GOOD_PASSWORD });
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "2"]);
    const text = await response.text();
    expect(text).toContain("Not signed in: storage failed");
    expect(text).not.toContain("The report");
    walk.deps.store.raw.run("PRAGMA query_only = OFF");
    expect((await walk.post("/sign-in", { name: "ada", password: GOOD_PASSWORD })).status).toBe(303);
  });

  test("the password never comes back", async () => {
    const walk = await withAda();
    const response = await walk.post("/sign-in", { name: "ada", password: "a wrong one 4711" });
    expect(await response.text()).not.toContain("4711");
  });
});

test("the browser stays known for half a year, and the session's cookie ends with the browser", async () => {
  const walk = await withAda();
  const response = await walk.post("/sign-in", { name: "ada", password: GOOD_PASSWORD });
  const cookies = response.headers.getSetCookie();
  const of = (name: string) => cookies.find((line) => line.startsWith(`${name}=`)) ?? "";
  expect(of("__Host-tower_device")).toEndWith("; Max-Age=15552000");
  expect(of("__Host-tower")).not.toContain("Max-Age");
});

test("with the box ticked the session lasts 30 days, and its cookie as long; a refusal keeps the tick", async () => {
  const walk = await withAda();
  const refused = await walk.post("/sign-in", { name: "ada", password: "wrong wrong wrong", keep: "1" });
  expect(await refused.text()).toContain('name="keep" value="1" checked');
  walk.deps.clock.advance(60_000);
  const response = await walk.post("/sign-in", { name: "ada", password: GOOD_PASSWORD, keep: "1" });
  const cookie = response.headers.getSetCookie().find((line) => line.startsWith("__Host-tower=")) ?? "";
  expect(cookie).toEndWith("; Max-Age=2592000");
  walk.deps.clock.advance(30 * 86_400_000 - 1);
  expect((await walk.get("/settings/sessions")).status).toBe(200);
  await walk.deps.writer.settled();
  walk.deps.clock.advance(1);
  expect((await walk.get("/settings/sessions")).status).toBe(303);
});

describe("/sign-out", () => {
  test("takes away the session's cookie under both of its names", async () => {
    const walk = await new Walk().signedIn();
    const cookies = (await walk.post("/sign-out")).headers.getSetCookie();
    expect(cookies.map((line) => [line.split("=")[0], line.endsWith("; Max-Age=0")])).toEqual([
      ["__Host-tower", true],
      ["tower_dev", true],
    ]);
  });

  test("ends the session at the service, not only in the browser", async () => {
    const walk = await new Walk().signedIn();
    const kept = walk.cookie("__Host-tower") ?? "";
    const response = await walk.post("/sign-out");
    expect(response.headers.get("location")).toBe("/sign-in");
    expect([...walk.cookies().keys()]).toEqual(["__Host-tower_device"]);
    walk.setCookie("__Host-tower", kept);
    expect((await walk.get("/settings/tokens")).status).toBe(303);
  });

  test("cannot be had by GET, nor from another site", async () => {
    const walk = await new Walk().signedIn();
    expect((await walk.get("/sign-out")).status).toBe(405);
    expect((await walk.post("/sign-out", {}, { origin: "https://evil.example" })).status).toBe(403);
    expect((await walk.get("/settings/tokens")).status).toBe(200);
  });

  test("without a session it just leads to the sign-in page", async () => {
    const walk = await withAda();
    expect((await walk.post("/sign-out")).status).toBe(303);
  });
});
