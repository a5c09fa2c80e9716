/** The flag pages for operators that a proxy names. For requests of a test, and for a browser once it listens. */
import type { NewFlag } from "../../src/flags/contract.ts";
import { insertOpenFlag } from "../../src/flags/store.ts";
import { type TestGround, testGround } from "./deps.ts";
import type { Logged } from "./log.ts";
import { newFlag } from "./make/flag.ts";
import { OPERATOR_HEADER, PROXY, testTower } from "./test_tower.ts";

/** A running set of flag pages. */
export interface FlagSite extends TestGround {
  readonly lines: readonly Logged[];
  readonly handle: (request: Request) => Promise<Response>;
  /** Asks as an operator. */
  ask(operator: string, path: string, init?: RequestInit): Promise<Response>;
  /** Sends a form as an operator. */
  send(
    operator: string,
    method: "POST" | "PUT" | "DELETE",
    path: string,
    form?: Readonly<Record<string, string>> | URLSearchParams,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Response>;
  raise(id: string, changes?: Partial<NewFlag>): Promise<void>;
  /** Listens on loopback for the browser of ada; answers the address. */
  listen(): string;
  close(): Promise<void>;
}

/** The flag pages over a database of their own. */
export async function flagSite(): Promise<FlagSite> {
  const ground = await testGround();
  const { writer, clock } = ground;
  const service = await testTower({ ground, settings: PROXY });
  const handle = (request: Request) => service.tower(request, () => "127.0.0.1");
  const asked = (operator: string, path: string, init: RequestInit = {}) => {
    const headers = new Headers(init.headers);
    headers.set(OPERATOR_HEADER, operator);
    headers.set("origin", service.origin);
    headers.set("host", new URL(service.origin).host);
    return handle(new Request(`${service.origin}${path}`, { ...init, headers }));
  };
  return {
    ...ground,
    lines: service.lines,
    handle,
    ask: asked,
    send: (operator, method, path, form, headers) =>
      asked(operator, path, {
        method,
        ...(form === undefined ? {} : { body: new URLSearchParams(form as Record<string, string>) }),
        ...(headers === undefined ? {} : { headers }),
      }),
    raise: (id, changes = {}) =>
      writer.write((tx): void => insertOpenFlag(tx, id, newFlag(changes), clock.now(), "rule")),
    listen: () => service.listen("tower", "ada").url,
    close: () => service.close(),
  };
}
