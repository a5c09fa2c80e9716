/**
 * Credentials and attachments against the record of what was done to them. A seal holds a secret to its row and revision; that a whole
 * row was put back as it was before, with the revision it had, only the record shows.
 */
import { type AuditRow, listActs } from "../audit/mod.ts";
import type { Db } from "../db/mod.ts";
import { listAttachments } from "./attachment_store.ts";
import { listCredentials } from "./store.ts";

const ACTS = [
  "credential.add",
  "credential.change",
  "credential.replace",
  "credential.remove",
  "property.attach",
  "property.detach",
] as const;

/** Which edit and connection a credential is at. */
interface At {
  readonly edit: number;
  readonly connection: string;
}

/** What an act says, as far as it is read here. */
type Said = Readonly<Record<string, string | number | undefined>>;

/** What all acts together lead to. */
interface Recorded {
  readonly credentials: Map<string, At>;
  /** By site and provider: the property and its credential. */
  readonly attachments: Map<string, string>;
}

/** What is otherwise than the acts on it lead to, each in a sentence. */
export function credentialFaults(db: Db): string[] {
  const recorded = replay(listActs(db, ACTS));
  const credentials = new Map(
    listCredentials(db).map(({ id, editRevision, connectionRevision }) => [
      id,
      { edit: editRevision, connection: connectionRevision },
    ]),
  );
  const attachments = new Map(
    listAttachments(db).map(({ asset, provider, property, credential }) => [
      `${asset} ${provider}`,
      `${property} with ${credential}`,
    ]),
  );
  return [
    ...differences("credential", credentials, recorded.credentials, ({ edit, connection }) => {
      return `edit revision ${edit}, connection ${connection}`;
    }),
    ...differences("property of", attachments, recorded.attachments, (text) => text),
  ];
}

function* differences<T>(
  what: string,
  stored: ReadonlyMap<string, T>,
  recorded: ReadonlyMap<string, T>,
  words: (one: T) => string,
): Generator<string> {
  for (const id of new Set([...stored.keys(), ...recorded.keys()])) {
    const [is, was] = [stored.get(id), recorded.get(id)];
    const [said, meant] = [is, was].map((one) => (one === undefined ? "none" : words(one)));
    if (said !== meant) yield `${what} ${id}: stored is ${said}, the acts on it lead to ${meant}`;
  }
}

function replay(acts: readonly Pick<AuditRow, "act" | "target" | "detail">[]): Recorded {
  const recorded: Recorded = { credentials: new Map(), attachments: new Map() };
  for (const { act, target, detail } of acts) {
    const said = JSON.parse(detail) as Said;
    if (act.startsWith("credential.")) onCredential(recorded, act, target.replace("credential:", ""), said);
    else onProperty(recorded, act, target, said);
  }
  return recorded;
}

function onCredential({ credentials, attachments }: Recorded, act: string, id: string, said: Said): void {
  if (act === "credential.remove") {
    credentials.delete(id);
    for (const [key, value] of attachments) if (value.endsWith(` with ${id}`)) attachments.delete(key);
    return;
  }
  const connection = said["connection_revision"] ?? credentials.get(id)?.connection ?? "";
  credentials.set(id, { edit: Number(said["edit_revision"]), connection: String(connection) });
}

function onProperty({ credentials, attachments }: Recorded, act: string, asset: string, said: Said): void {
  const { provider, property, with: credential = "", edit_revision: edit } = said;
  const key = `${asset} ${provider}`;
  if (act === "property.detach") {
    attachments.delete(key);
    return;
  }
  attachments.set(key, `${property} with ${credential}`);
  const known = credentials.get(String(credential));
  if (edit !== undefined && known !== undefined) {
    credentials.set(String(credential), { ...known, edit: Number(edit) });
  }
}
