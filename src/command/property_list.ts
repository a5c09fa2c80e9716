import { listSites } from "../assets/mod.ts";
import { askAccount } from "../connections/mod.ts";
import { listAttachments, suggestAttachments } from "../credentials/mod.ts";
import { terminalJson } from "../lib/terminal_table.ts";
import { type Command, command } from "./contract.ts";
import { answerWords, notAsked } from "./credential_words.ts";

/** `property list`. */
export const propertyList: Command = command({
  name: "property list",
  summary: "ask an account's providers for its properties",
  takes: ["<credential>"],
  about: [
    "Asks each provider of a stored account for the properties that it gives access to, and prints them as one JSON document, an array: provider, property (the provider's own id), name, time_zone, usable, asset (the site that it is attached to, by this account or another; null where none is), and suggested (a site that its name or address is like).",
    "Exit code 0 when every provider answered, 1 when one did not: then what the others told is printed, and why is said.",
  ],
  options: {},
  run: async (deps, { args: [id = ""], signal }) => {
    const asking = { job: "site-discovery", credential: id, by: "command", signal } as const;
    const asked = await askAccount(deps, asking);
    if (!asked.ok) return notAsked(deps, id, asked);
    const { db } = deps.store;
    const attached = new Map(
      listAttachments(db).map(({ provider, property, asset }) => [`${provider} ${property}`, asset]),
    );
    const found = asked.answers.flatMap(({ properties = [] }) => properties);
    const suggested = suggestAttachments(found, listSites(db));
    const document = found.map(({ provider, property, name, timeZone, usable }) => ({
      provider,
      property,
      name,
      time_zone: timeZone ?? null,
      usable,
      asset: attached.get(`${provider} ${property}`) ?? null,
      suggested: suggested.get(property) ?? null,
    }));
    const isWhole = asked.answers.every(({ fault }) => fault === undefined);
    return {
      exitCode: isWhole ? 0 : 1,
      stdout: terminalJson(document),
      stderr: asked.answers.flatMap(answerWords).join("\n"),
    };
  },
});
