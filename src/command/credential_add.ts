import { addCredential, readCredentialFile, replaceCredential, trapsOf } from "../credentials/mod.ts";
import type { Deps } from "../deps.ts";
import { shown } from "../lib/command_line.ts";
import { didYouMean, nearest } from "../lib/near.ts";
import { ACCOUNT_PROVIDERS, type AccountProvider } from "../provider/contract.ts";
import { type Command, command, done, type Outcome, refused } from "./contract.ts";
import { KIND_WORDS, keyFault, noCredential } from "./credential_words.ts";

/** Longest label, in characters. */
const LONGEST_LABEL = 100;

/** `credential add`. */
export const credentialAdd: Command = command({
  name: "credential add",
  summary: "store an account that a provider is asked with",
  setsUp: true,
  takes: ["<provider>"],
  about: [
    `Stores the account that Tower asks a provider with, sealed with this installation's key, and prints its id and its connection revision as one line of JSON. The providers are ${ACCOUNT_PROVIDERS.join(", ")}.`,
    'The file of analytics and search-console is the JSON file of a Google service account\'s key. One account serves both: added again for the other provider it keeps its id. The file of webmaster-tools holds the API key of a user, and covers every site of theirs. The file of serp is JSON with the login and the API password of DataForSEO: {"login": "…", "password": "…"}.',
    "A stored account says nothing yet about what it may see: tower credential test asks.",
  ],
  options: {
    file: {
      value: "<path|->",
      says: "the file; - reads standard input, so that the secret is in no file and in no list of processes",
    },
    label: { value: "<text>", says: "what to call it; no e-mail address" },
    replace: {
      value: "<id>",
      says: "put this secret in the place of a stored one: its attachments stay, and a new connection revision begins",
    },
  },
  fileOf: ({ options: { file } }) => file,
  judge: ({ args: [provider = ""], options: { file, label } }) => {
    if (providerOf(provider) === undefined) {
      return `there is no provider ${shown(provider)}: the providers are ${ACCOUNT_PROVIDERS.join(", ")}${didYouMean(nearest(provider, ACCOUNT_PROVIDERS))}`;
    }
    if (file === undefined) return "--file is missing: --file <path>, or --file - for standard input";
    return label === undefined ? undefined : labelFault(label);
  },
  run: async (deps, { args: [name = ""], options: { label, replace }, file = "" }) => {
    const provider = providerOf(name);
    if (provider === undefined) throw new RangeError(`there is no provider ${name}`);
    const lost = keyFault(deps);
    if (lost !== undefined) return refused(lost);
    const read = await readCredentialFile(provider, file, deps.config.providers);
    if (!read.ok) return refused(["Nothing was stored.", ...read.faults].join("\n"));
    const asked = { provider, secret: read.secret, label };
    const by = { actor: "command-line", now: deps.clock.now() };
    return replace === undefined ? added(deps, asked, by) : replaced(deps, replace, asked, by);
  },
});

type Asked = Parameters<typeof addCredential>[1];
type By = Parameters<typeof addCredential>[2];

async function added(deps: Deps, asked: Asked, by: By): Promise<Outcome> {
  const result = await addCredential(deps, asked, by);
  if (!result.ok) {
    const why =
      result.why === "other_key"
        ? "This account is stored with another key"
        : "This account is stored, and cannot be read with the key that is here";
    return refused(
      `${why}: nothing was changed. To put this one in its place: tower credential add ${asked.provider} --file … --replace ${result.id}`,
    );
  }
  const { credential, did } = result;
  const said = {
    added: `${credential.label} is stored. Before it works:`,
    changed: `${credential.label} was stored, and is used for ${credential.providers.join(" and ")} now. Before it works:`,
    same: `${credential.label} is stored as it is here: nothing is changed`,
  }[did];
  const before = trapsOf(asked.provider).map((trap) => `  ${trap.says} ${trap.action}`);
  const then = `tower credential test ${credential.id} tells whether it works, and what it may see.`;
  return done(printed(credential), (did === "same" ? [said] : [said, ...before, then]).join("\n"));
}

async function replaced(deps: Deps, id: string, asked: Asked, by: By): Promise<Outcome> {
  const result = await replaceCredential(deps, id, asked, by);
  if (result.ok) {
    const account = {
      true: "the same account",
      false: "ANOTHER ACCOUNT than before: see that it was added to the attached properties",
      undefined: "nothing in it tells whether it is of the same user as before",
    }[`${result.isSameAccount}`];
    return done(
      printed(result.credential),
      `${result.credential.label} has a new secret, a new connection begins (${account}). Its attachments stay.`,
    );
  }
  if (result.why === "missing") return refused(noCredential(deps, id));
  if (result.why === "taken") {
    return refused(
      `The account in this file is stored as ${result.id} already: nothing was changed. Attach with that one, or remove it first (tower credential remove ${result.id})`,
    );
  }
  return refused(
    `${shown(id)} is ${KIND_WORDS[result.kind]}, which this file does not replace: add it as one of its own, without --replace`,
  );
}

function printed({
  id,
  connectionRevision,
}: {
  readonly id: string;
  readonly connectionRevision: string;
}): string {
  return JSON.stringify({ id, connection_revision: connectionRevision });
}

function providerOf(text: string): AccountProvider | undefined {
  return ACCOUNT_PROVIDERS.find((provider) => provider === text);
}

/** A label is shown wherever the account is: it names it, and gives nothing of it away. */
function labelFault(label: string): string | undefined {
  if (label.length > LONGEST_LABEL || /\p{Cc}/u.test(label) || label.trim() === "") {
    return `--label must be 1 to ${LONGEST_LABEL} plain characters`;
  }
  return label.includes("@") ? "--label must hold no e-mail address: it is shown on every page" : undefined;
}
