import { describe, expect, test } from "bun:test";
import { testTower } from "../support/test_tower.ts";

const HOST = "localhost:4610";

/** Sends a body of `size` bytes without a token, and says how many of them were taken. */
async function taken(
  size: number,
  headers: Readonly<Record<string, string>>,
): Promise<readonly [number, number]> {
  const service = await testTower();
  let given = 0;
  const body = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        if (given === size) return controller.close();
        const chunk = Math.min(64 * 1024, size - given);
        given += chunk;
        controller.enqueue(new Uint8Array(chunk));
      },
    },
    { highWaterMark: 0 },
  );
  const all = { host: HOST, "content-length": String(size), ...headers };
  const { status } = await service.ingest(
    new Request(`http://${HOST}/api/pulse`, { method: "POST", headers: all, body }),
  );
  await service.close();
  return [status, given];
}

describe("the body of a refused request", () => {
  test("is let through to its end where the connection closes after the answer, so that the answer arrives", async () => {
    expect(await taken(300_000, { connection: "close" })).toEqual([401, 300_000]);
    expect(await taken(300_000, { connection: "keep-alive, Close" })).toEqual([401, 300_000]);
    // An unknown host ends the connection by itself.
    expect(await taken(300_000, { host: "evil.example" })).toEqual([421, 300_000]);
  });

  test("is not looked at where the connection stays, and not waited for when it is far too long", async () => {
    expect(await taken(300_000, {})).toEqual([401, 0]);
    expect(await taken(17 * 1024 * 1024, { connection: "close" })).toEqual([401, 0]);
  });
});
