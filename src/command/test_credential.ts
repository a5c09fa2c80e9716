import { askAccount } from "../connections/mod.ts";
import { type Command, command } from "./contract.ts";
import { answerWords, notAsked } from "./credential_words.ts";
import { instantOf } from "./listing.ts";

/** `credential test`; the file is not called after its words, since it would be taken for a test. */
export const credentialTest: Command = command({
  name: "credential test",
  summary: "ask a stored account's providers whether it works",
  takes: ["<id>"],
  about: [
    "Asks each provider of a stored account what the account may see, as an attempt of its own, and prints the outcome as one line of JSON. It says nothing of any site's figures: those are pulled by their jobs. With monitoring: unavailable where what came of it is stored, and its health could not be recorded.",
    "Exit code 0 when every provider answered and shows a property that can be used, 1 when one did not, 3 when another test is under way.",
  ],
  options: {},
  run: async (deps, { args: [id = ""], signal }) => {
    const asking = { job: "connection-test", credential: id, by: "command", signal } as const;
    const asked = await askAccount(deps, asking);
    if (!asked.ok) return notAsked(deps, id, asked);
    const { credential, answers } = asked;
    const isUsable = answers.every(({ fault }) => fault === undefined);
    const document = {
      id: credential.id,
      connection_revision: credential.connectionRevision,
      usable: isUsable,
      ...(answers.every(({ isMonitored }) => isMonitored) ? {} : { monitoring: "unavailable" }),
      providers: answers.map(({ provider, fault, wasAsked, nextRetryAt, properties }) => ({
        provider,
        outcome: fault === undefined ? "usable" : wasAsked ? "failed" : "held",
        category: fault?.category ?? null,
        code: fault?.code ?? null,
        properties: properties?.length ?? null,
        usable_properties: properties?.filter(({ usable }) => usable).length ?? null,
        next_retry_at: instantOf(nextRetryAt),
      })),
    };
    return {
      exitCode: isUsable ? 0 : 1,
      stdout: JSON.stringify(document),
      stderr: answers.flatMap(answerWords).join("\n"),
    };
  },
});
