import { expect, test } from "bun:test";
import { listen } from "../../src/base/edge.ts";

test("a renewed listener answers on the same address, and connections whose request never came whole are closed", async () => {
  const listening = listen(async () => new Response("here"), "127.0.0.1", 0);
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  await Bun.connect({
    hostname: "127.0.0.1",
    port: listening.port,
    socket: {
      open: (socket) => void socket.write("GET / HT"),
      data: () => undefined,
      close: () => resolve(),
    },
  });
  // A request of its own comes back only when the half one has arrived, too.
  await fetch(listening.url);
  await listening.renew(1_000);
  await closed;
  expect(await (await fetch(listening.url)).text()).toBe("here");
  await listening.stop(0);
});

test("a request under way when the listener is renewed is answered within the grace", async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { promise: came, resolve: arrived } = Promise.withResolvers<void>();
  const listening = listen(
    async () => {
      arrived();
      await released;
      return new Response("late");
    },
    "127.0.0.1",
    0,
  );
  const asked = fetch(listening.url);
  await came;
  const renewed = listening.renew(10_000);
  release();
  expect(await (await asked).text()).toBe("late");
  await renewed;
  await listening.stop(0);
});
