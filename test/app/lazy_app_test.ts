/** Whatever comes before the pages are loaded is answered as it is after. */

import { afterAll, describe, expect, test } from "bun:test";
import { createLazyApp } from "../../src/app/serve.ts";
import { testTower } from "../support/test_tower.ts";

const service = await testTower();
afterAll(() => service.close());
const { host } = new URL(service.origin);
const ports = () => ({ ingest: 4610, tower: Number(new URL(service.origin).port) });

/** All of an answer but what no two answers share. */
async function seen(answer: Promise<Response>) {
  const { status, headers, ...response } = await answer.then(async (one) => ({
    status: one.status,
    headers: [...one.headers].filter(([name]) => !["x-request-id", "date"].includes(name)).sort(),
    text: (await one.text()).replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "an id"),
  }));
  return { status, headers, text: response.text };
}

const asked: readonly (readonly [
  method: string,
  path: string,
  headers?: Readonly<Record<string, string>>,
])[] = [
  ["GET", "/healthz"],
  ["GET", "/readyz"],
  ["GET", "/readyz", { "accept-encoding": "zstd" }],
  ["HEAD", "/healthz"],
  ["POST", "/healthz"],
  ["POST", "/healthz", { accept: "text/html" }],
  ["GET", "/healthz/"],
  ["GET", "/healthz", { host: "elsewhere.example" }],
  ["GET", "/healthz", { host: "elsewhere.example", accept: "text/html" }],
  ["GET", "/"],
  ["GET", "/sign-in"],
  ["GET", "/api/flags"],
  ["GET", "/nowhere", { accept: "text/html" }],
];

describe("the Tower before its pages are loaded", () => {
  for (const [method, path, headers = {}] of asked) {
    test(`${method} ${path} ${JSON.stringify(headers)}`, async () => {
      const request = () =>
        new Request(`${service.origin}${path}`, { method, headers: { host, ...headers } });
      const soon = createLazyApp(service.deps, ports);
      const before = await seen(soon.edge(request()));
      await soon.load();
      expect(before).toEqual(await seen(service.tower(request())));
      expect(await seen(soon.edge(request()))).toEqual(before);
    });
  }
});
