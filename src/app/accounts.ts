/** Commands on the stored accounts of providers and on the key that seals them. */

import type { By } from "../access/access.ts";
import { shown } from "../base/command_line.ts";
import { codePoints } from "../base/contract.ts";
import { systemFiles } from "../base/files.ts";
import { keyPath } from "../base/keys.ts";
import { countWords, didYouMean, nearest } from "../base/text.ts";
import { formatInstant } from "../base/time.ts";
import { MONITORING_UNAVAILABLE } from "../health/capability_words.ts";
import { ACCOUNT_PROVIDERS } from "../providers/adapter.ts";
import { CREDENTIAL_NAMES, type Credential, listCredentials } from "../providers/credentials.ts";
import { FAULT_CODES } from "../providers/faults.ts";
import { readCredentialFile, trapsBehind, trapsOf } from "../providers/given_file.ts";
import { listAttachmentsWith } from "../providers/properties.ts";
import { rotateKey } from "../providers/sealing.ts";
import { type AccountAnswer, askAccount, type ProviderAnswer } from "../signals/account_check.ts";
import { addCredential, removeAccount, replaceCredential } from "../signals/credential_changes.ts";
import { sitesReadWith } from "../signals/matched_site.ts";
import type { Deps } from "./app.ts";
import {
  byCommandLine,
  type Command,
  command,
  done,
  instantOf,
  listCommand,
  notice,
  type Outcome,
  refused,
  unknownName,
} from "./command.ts";

/** The refusal of an id that no credential has. */
export function noCredential({ store }: Pick<Deps, "store">, id: string): string {
  const ids = listCredentials(store.db).map((known) => known.id);
  return `${unknownName("credential", id, ids)}: tower credential list shows them`;
}

/** Why nothing can be sealed; undefined where it can. */
export function keyFault({ keys, config }: Pick<Deps, "keys" | "config">): string | undefined {
  return keys.isStandIn
    ? `The key that credentials are sealed with is lost (${keyPath(config.dataDir)}): nothing can be stored. Put it back, or set CREDENTIALS_KEY, and restart; where it is lost for good, remove every credential first (tower credential remove)`
    : undefined;
}

/** A credential that was not asked: there is none, or another run of the same kind is under way, or this one was stopped. */
export function notAsked(
  deps: Pick<Deps, "store">,
  id: string,
  { why }: Extract<AccountAnswer, { ok: false }>,
): Outcome {
  if (why === "missing") return refused(noCredential(deps, id));
  if (why === "stopped") return refused("It was stopped before every provider had answered.");
  const stderr = "Another account is asked just now: try again when that is done.";
  return { exitCode: 3, stdout: "", stderr };
}

/** What a provider's answer came to, in sentences with what to do; of one that answered well, how much is to be seen. */
export function answerWords(answer: ProviderAnswer): string[] {
  const { provider, isMonitored } = answer;
  return isMonitored ? seenWords(answer) : [...seenWords(answer), `${provider}: ${MONITORING_UNAVAILABLE}`];
}

function seenWords({ provider, fault, nextRetryAt, properties = [] }: ProviderAnswer): string[] {
  const usable = properties.filter((property) => property.usable).length;
  const seen =
    provider === "serp" && fault === undefined
      ? "serp: the account is let in"
      : `${provider}: ${usable} of ${countWords(properties.length, "property", "properties")} can be used`;
  if (fault === undefined) return [`${seen}.`];
  const { words, action } = FAULT_CODES[fault.code];
  const again = nextRetryAt === undefined ? "" : ` Not before ${formatInstant(nextRetryAt)}.`;
  return [
    `${provider}: ${words} ${action}${again}`,
    ...trapsBehind(fault.code, provider).map((trap) => `  ${trap.says} ${trap.action}`),
  ];
}

/** Longest label, in characters. */
const LONGEST_LABEL = 100;

const credentialAdd = command({
  name: "credential add",
  summary: "save a provider credential",
  setsUp: true,
  takes: ["<provider>"],
  about: [
    `Stores the account that Tower asks a provider with, sealed with this installation's key, and prints its id and its connection revision as one line of JSON. The providers are ${ACCOUNT_PROVIDERS.join(", ")}.`,
    'The file of analytics and search-console is the JSON file of a Google service account\'s key. One account serves both: added again for the other provider it keeps its id. The file of webmaster-tools holds the API key of a user, and covers every site of theirs. The file of serp is JSON with the login and the API password of DataForSEO: {"login": "…", "password": "…"}.',
    "Saving doesn't check a credential. Use tower credential test.",
  ],
  options: {
    file: {
      value: "<path|->",
      says: "the file, or - for standard input, which keeps the secret out of files and process lists",
    },
    label: { value: "<text>", says: "what to call it; no e-mail address" },
    replace: {
      value: "<id>",
      says: "replace the secret of a credential; its attachments stay, and a new connection revision begins",
    },
  },
  fileOf: ({ options: { file } }) => file,
  judge: ({ args: [name = ""], options: { file, label } }) => {
    const provider = ACCOUNT_PROVIDERS.find((known) => known === name);
    if (provider === undefined) {
      return `there is no provider ${shown(name)}: the providers are ${ACCOUNT_PROVIDERS.join(", ")}${didYouMean(nearest(name, ACCOUNT_PROVIDERS))}`;
    }
    if (file === undefined) return "--file is missing: --file <path>, or --file - for standard input";
    return (label === undefined ? undefined : labelFault(label)) ?? { provider };
  },
  run: async (deps, { read: { provider }, options: { label, replace }, file = "" }) => {
    const lost = keyFault(deps);
    if (lost !== undefined) return refused(lost);
    const read = await readCredentialFile(provider, file, deps.config.providers);
    if (!read.ok) return refused(["Nothing was stored.", ...read.faults].join("\n"));
    const asked = { provider, secret: read.secret, label };
    const by = byCommandLine(deps);
    return replace === undefined ? added(deps, asked, by) : replaced(deps, replace, asked, by);
  },
});

type Asked = Parameters<typeof addCredential>[1];

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
    added: `${credential.label} is saved. Before it works:`,
    changed: `${credential.label} was saved already, and is now used for ${credential.providers.join(" and ")}. Before it works:`,
    same: `${credential.label} is stored as it is here: nothing is changed`,
  }[did];
  const before = trapsOf(asked.provider).map((trap) => `  ${trap.says} ${trap.action}`);
  const then = `tower credential test ${credential.id} checks whether it works.`;
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
      `${result.credential.label} has a new secret and a new connection (${account}). Its attachments stay.`,
    );
  }
  if (result.why === "missing") return refused(noCredential(deps, id));
  if (result.why === "taken") {
    return refused(
      `The account in this file is stored as ${result.id} already: nothing was changed. Attach with that one, or remove it first (tower credential remove ${result.id})`,
    );
  }
  return refused(
    `${shown(id)} is a ${CREDENTIAL_NAMES[result.kind]}, which this file does not replace: add it as one of its own, without --replace`,
  );
}

const printed = ({ id, connectionRevision: connection_revision }: Credential): string =>
  JSON.stringify({ id, connection_revision });

/** A label is shown wherever the account is: it names it, and gives nothing of it away. */
function labelFault(label: string): string | undefined {
  if (codePoints(label) > LONGEST_LABEL || /\p{Cc}/u.test(label) || label.trim() === "") {
    return `--label must be 1 to ${LONGEST_LABEL} plain characters`;
  }
  return label.includes("@") ? "--label must hold no e-mail address: it is shown on every page" : undefined;
}

const credentialList = listCommand({
  name: "credential list",
  summary: "list provider credentials",
  about: [
    "Lists the credentials with how many sites use each. Secrets and account addresses are not shown. To see whether one works, use tower credential test.",
  ],
  none: "no credential yet: tower credential add <provider> --file <path>",
  rows: ({ store: { db }, credentials }) =>
    listCredentials(db).map((one) => ({
      id: one.id,
      kind: one.kind,
      label: one.label,
      providers: one.providers,
      edit_revision: one.editRevision,
      connection_revision: one.connectionRevision,
      readable: credentials.canOpen(one.id),
      sites: sitesReadWith(db, one, listAttachmentsWith(db, one.id)).size,
      added_at: instantOf(one.addedAt),
      connected_at: instantOf(one.connectedAt),
    })),
  columns: ["id", "label", "providers", "sites", "readable", "connected_at"],
});

const credentialRemove = command({
  name: "credential remove",
  summary: "remove a credential with its secret",
  takes: ["<id>"],
  about: [
    "Removes a credential with its secret, detaches its properties and lists them. Stored data stays. The account itself still exists at the provider: revoke it there.",
  ],
  run: async (deps, { args: [id = ""] }) => {
    const removed = await removeAccount(deps, id, byCommandLine(deps));
    if (removed === undefined) return refused(noCredential(deps, id));
    const { credential, detached } = removed;
    return notice(
      [
        `${credential.label} is removed with its secret. What was pulled with it stays.`,
        ...detached.map(
          ({ asset, provider, property }) =>
            `${asset} has no ${provider} property any more (it was ${property})`,
        ),
      ].join("\n"),
    );
  },
});

const credentialTest = command({
  name: "credential test",
  summary: "test a credential at its providers",
  takes: ["<id>"],
  about: [
    "Sends a request to each provider of a credential and prints the outcome as one line of JSON. A passed test makes no site Working. With monitoring: unavailable, the outcome is stored and only its state could not be recorded.",
    "Exit code 0 when every provider lists a usable property, 1 when one does not, 3 while another test runs.",
  ],
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

export const CREDENTIAL_COMMANDS: readonly Command[] = [
  credentialAdd,
  credentialList,
  credentialTest,
  credentialRemove,
];

export const credentialsKeyRotate = command({
  name: "credentials-key rotate",
  summary: "seal credentials with a new key",
  about: [
    "Makes a new key for this installation and seals all credentials with it, while the service runs. If it is killed, the next start finishes it. New backups and the audit are then verified with the new key. Keep it apart from the backups, like the old one.",
    "The old key stays in a file named by its id. Older backups need it: move it to where their key is kept.",
    "When CREDENTIALS_KEY holds the key, change it there: the new key goes into CREDENTIALS_KEY, the old one into CREDENTIALS_KEY_PREVIOUS (each also _FILE). The next start seals everything again and says when the old key is no longer needed.",
  ],
  run: async (deps) => {
    const rotated = await rotateKey({ ...deps, files: systemFiles }, byCommandLine(deps));
    const path = keyPath(deps.config.dataDir);
    if (!rotated.ok) {
      return refused(
        {
          setting:
            "The key is CREDENTIALS_KEY's: put a new one there (openssl rand -base64 32) and the one before into CREDENTIALS_KEY_PREVIOUS, and restart",
          lost: keyFault(deps) ?? "",
          changed: `${path} holds another key than the one that is in use: restart the service, which then uses that one`,
          busy: "It is being changed just now",
        }[rotated.why],
      );
    }
    const { before, now, resealed, unreadable, kept } = rotated;
    return notice(
      [
        `${path} holds a new key (${now}): ${countWords(resealed, "credential")} sealed with it. Keep a copy of it apart from the backups.`,
        `The key before (${before}) is kept as ${kept}: backups made until now need it. Move it to where you keep their key.`,
        ...(unreadable.length === 0
          ? []
          : [
              `Could not be read before, and cannot now: ${unreadable.join(", ")}. Save each again: tower credential add … --replace <id>, a channel or calendar under Settings.`,
            ]),
      ].join("\n"),
    );
  },
});
