/** The yardstick of a start: Elysia and one route. Argument: the port. */

import { Elysia } from "elysia";

const [port] = Bun.argv.slice(2);
new Elysia().get("/healthz", () => "ok").listen({ port: Number(port), hostname: "127.0.0.1" });
