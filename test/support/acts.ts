/**
 * What operators do on pages, act by act: where each answer leads, what the page it leads to says otherwise than the page that the act was
 * done on, and what the audit keeps of all of them, as lines to be recorded.
 */

import { listNewest } from "../../src/access/audit.ts";
import { brief } from "./brief.ts";
import { attribute, elements, filledIn, parsed, readAloud, tagged } from "./html.ts";
import type { Asking, TestTower } from "./test_tower.ts";

type Form = Readonly<Record<string, string>>;

const DIGEST = /\b[0-9a-f]{64}\b/g;
const pathOf = (address: string) => address.replace(/[?#].*/, "");

/** Lines of one that are not in the other, as often as there are more of them. */
export function beyond(one: readonly string[], other: readonly string[]): string[] {
  const left = [...other];
  return one.filter((line) => {
    const place = left.indexOf(line);
    if (place >= 0) left.splice(place, 1);
    return place < 0;
  });
}

/** Records what is done at a service. */
export function actsAt(site: Pick<TestTower, "ask" | "report" | "deps">) {
  const said: string[] = [];
  /** As it is in every run. */
  const plain = (text: string) =>
    text
      .replaceAll(DIGEST, "DIGEST")
      .replaceAll(/\b0{8}-0000-7000-8000-\d{12}\b/g, "ID")
      .replaceAll(/127\.0\.0\.1:\d+/g, "127.0.0.1:PORT")
      .replaceAll(site.deps.config.dataDir, "/data");
  /** What a page says, without what every page has. */
  const linesOf = (html: string): string[] => {
    const page = parsed(html);
    const [main = page] = tagged(page, "main");
    return readAloud(main).map((line) => brief(plain(line), 500));
  };
  const open = async (path: string) => (await site.ask(path)).text();
  const read = async (path: string) => linesOf(await open(path));
  const formOf = async (on: string, path: string) => {
    const forms = tagged(parsed(await open(on)), "form").filter((one) => attribute(one, "method") === "post");
    const form = forms.find((one) => pathOf(attribute(one, "action") ?? "") === path);
    if (form === undefined) throw new Error(`${on} has no form for ${path}`);
    return filledIn(form);
  };

  /**
   * Sends a form of a page and keeps what the answer says otherwise than that page, of another page what it says of the act; the address it
   * leads to is given back.
   */
  async function send(
    on: string,
    path: string,
    form: Form | URLSearchParams | FormData,
    as = "ada",
  ): Promise<string> {
    const before = await read(on);
    const answer = await site.ask(path, { form, as });
    const to = answer.headers.get("location");
    const after = to === null ? linesOf(await answer.text()) : await read(to);
    const isElsewhere = to !== null && pathOf(to) !== pathOf(on);
    const than = isElsewhere ? await read(pathOf(to)) : before;
    const entries = Symbol.iterator in form ? [...form] : Object.entries(form);
    const written = (name: string, value: string | File) =>
      name === "secret" || typeof value !== "string" ? `${name}=…` : `${name}=${value.replaceAll("\n", "⏎")}`;
    const sent = entries.map(([name, value]) => written(name, value)).join("&");
    said.push(
      brief(plain(`POST ${path} ${sent}`), 300),
      [answer.status, to, answer.headers.get("cache-control")].filter((one) => one !== null).join(" "),
      ...(isElsewhere ? [] : beyond(than, after).map((line) => `- ${line}`)),
      ...beyond(after, than).map((line) => `+ ${line}`),
    );
    return to ?? "";
  }

  const watched = new Map<string, readonly string[]>();

  return {
    formOf,
    send,
    /** Looks at pages, and at what is watched below them: the first time all that each says, later what it says otherwise than before. */
    watch: async (...paths: readonly string[]) => {
      for (const path of paths) {
        const answer = await site.ask(path);
        const html = await answer.text();
        const foot = elements(parsed(html), (one) => attribute(one, "id") === "watching");
        const lines = [...linesOf(html), ...foot.flatMap(readAloud)];
        const before = watched.get(path) ?? [];
        watched.set(path, lines);
        said.push(`GET ${path} ${answer.status}`);
        said.push(...beyond(before, lines).map((line) => `- ${line}`), ...beyond(lines, before));
      }
    },
    /** Fills in the form that a page has for an address, as a browser does, and sends it. */
    submit: async (on: string, path: string, changes: Form = {}) =>
      send(on, path, { ...(await formOf(on, path)), ...changes }),
    /** Looks at a page: all that it says, or what it says otherwise than another. */
    look: async (path: string, than?: string) => {
      const answer = await site.ask(path);
      const lines = linesOf(await answer.text());
      said.push(`GET ${path} ${answer.status}`);
      said.push(...(than === undefined ? lines : beyond(lines, await read(than))));
    },
    /** Asks as htmx does, and keeps all that is answered. */
    swap: async (path: string, asking: Asking = {}) => {
      const answer = await site.ask(path, { ...asking, headers: { "hx-request": "true" } });
      said.push(`swap ${path} ${answer.status}`, ...linesOf(await answer.text()));
    },
    /** Sends a nightly report with a token. */
    report: async (body: object, token: string) => {
      said.push(`report ${(await site.report("/api/pulse", body, token)).status}`);
    },
    /** The audit's newest acts, the oldest of them first. */
    audit: () => {
      const acts = listNewest(site.deps.store.db, { limit: 60 }).toReversed();
      said.push(...acts.map(({ actor, act, target, detail }) => `${actor} ${act} ${target} ${detail}`));
    },
    /** A part of a page's text; of an attribute it may be one with an ampersand. */
    found: async (on: string, pattern: RegExp) =>
      (pattern.exec(await open(on))?.[1] ?? "").replaceAll("&amp;", "&"),
    /** Everything that was answered, but not what was sent. */
    answered: () => said.filter((line) => !line.startsWith("POST")).join("\n"),
    recorded: () => `\n${plain(said.join("\n"))}\n`,
  };
}
export type Acts = ReturnType<typeof actsAt>;
