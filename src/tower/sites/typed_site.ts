/** The validation of a new site's form, with a better identifier where the typed one is refused. Pure. */

import { isAssetId, readContract } from "../../base/contract.ts";
import { type NewAsset, NewAssetSchema, STORAGE_KINDS } from "../../sites/sites.ts";
import { refusedFields } from "../form.ts";
import type { Refused } from "../kit/field.tsx";
import { webAddress } from "../site/settings_routes.tsx";

/** The empty form. `families` is one a line, each alone or as `name=kind`; `storage` is for those alone. */
export const EMPTY_SITE = { id: "", url: "", group: "", lifecycle: "live", families: "", storage: "d1" };
export type TypedSite = typeof EMPTY_SITE;

/** Fields of the form that keep their space as it was sent. */
export const AS_SENT = ["lifecycle", "families", "storage"] as const;

/** Longest form that a link may fill in. */
const LONGEST_LINK = 4_000;

export type JudgedSite =
  | { readonly ok: true; readonly value: NewAsset }
  | {
      readonly ok: false;
      readonly errors: Refused;
      /** The form with a better identifier; null where none is known. */
      readonly better: TypedSite | null;
    };

/** Validates a form; `known` are the identifiers of the portfolio. */
export function judgeSite(typed: TypedSite, known: readonly string[]): JudgedSite {
  const families = familiesOf(typed);
  const judged = readContract(NewAssetSchema, {
    id: typed.id,
    url: typed.url === "" ? null : webAddress(typed.url),
    group: typed.group === "" ? null : typed.group,
    lifecycle: typed.lifecycle,
    families: families.map(({ family, storage }) => ({ family, storage })),
  });
  const refused: Refused = judged.ok ? {} : refusedFields(judged.errors, { families: "Each line" });
  const storage = isKind(typed.storage) ? undefined : `It must be one of ${STORAGE_KINDS.join(", ")}.`;
  const errors: Refused = {
    id: identifierError(typed.id, known),
    url: refused["url"],
    group: refused["group"],
    lifecycle: refused["lifecycle"],
    families: familiesError(families) ?? (storage === undefined ? refused["families"] : undefined),
    storage,
  };
  if (judged.ok && Object.values(errors).every((error) => error === undefined)) return judged;
  return { ok: false, errors, better: errors.id === undefined ? null : betterForm(typed, known) };
}

/** A valid identifier made of this text; undefined where it is valid already, or nothing is left of it. */
export function betterIdentifier(text: string): string | undefined {
  const host = isAddress(text) ? hostOf(text) : undefined;
  const plain = (host ?? text)
    .trim()
    .replaceAll(/\s+/g, "-")
    .replaceAll(/[^A-Za-z0-9._-]/g, "")
    .replace(/^[._-]+/, "")
    .slice(0, 128);
  return plain !== text && isAssetId(plain) ? plain : undefined;
}

/** Whether a text is an address rather than a name: it has a scheme or a path. */
function isAddress(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\/|\//i.test(text);
}

/** The host of an address; of one that cannot be read, what stands between its scheme and its path. */
function hostOf(address: string): string | undefined {
  const whole = webAddress(address);
  if (URL.canParse(whole)) return new URL(whole).hostname;
  return address.replace(/^[a-z][a-z0-9+.-]*:\/\//i, "").split("/")[0];
}

function identifierError(id: string, known: readonly string[]): string | undefined {
  if (id === "") return "Give an identifier, for example shop.example.";
  if (known.includes(id)) return "This site exists already.";
  const like = known.find((other) => other.toLowerCase() === id.toLowerCase());
  if (like !== undefined) return `${like} exists already. Use a name that differs in more than capitals.`;
  if (isAddress(id)) return "Leave out https:// and slashes, for example shop.example.";
  if (id.length > 128) return "Use at most 128 characters.";
  if (isAssetId(id)) return undefined;
  if (/\s/.test(id)) return "No spaces. Use letters, digits, dots, underscores or hyphens.";
  return "Start with a letter or digit. Use letters, digits, dots, underscores or hyphens.";
}

/** The form with a better identifier; an address that stood in its field goes into its own where that is empty. */
function betterForm(typed: TypedSite, known: readonly string[]): TypedSite | null {
  const id = betterIdentifier(typed.id);
  if (id === undefined || known.includes(id)) return null;
  const address = isAddress(typed.id) ? webAddress(typed.id) : "";
  const url = typed.url === "" && URL.canParse(address) ? address : typed.url;
  const better = { ...typed, id, url };
  return new URLSearchParams(better).toString().length > LONGEST_LINK ? null : better;
}

interface TypedFamily {
  readonly line: string;
  readonly family: string;
  readonly storage: string;
}

/** The families of the lines; a comma parts two of them as well as a line does. */
function familiesOf({ families, storage }: TypedSite): TypedFamily[] {
  const lines = families.split(/[\n,]/).map((line) => line.trim());
  return lines
    .filter((line) => line !== "")
    .map((line) => {
      const [, family = line, kind = storage] = /^(.*)=(.*)$/.exec(line) ?? [];
      return { line, family: family.trim(), storage: kind.trim() };
    });
}

function familiesError(families: readonly TypedFamily[]): string | undefined {
  const wrong = families.find(({ line, storage }) => line.includes("=") && !isKind(storage));
  if (wrong !== undefined) {
    const kinds = STORAGE_KINDS.join(", ");
    return wrong.storage === ""
      ? `“${wrong.line}” names no storage kind after its =. The kinds are ${kinds}.`
      : `“${wrong.line}”: ${wrong.storage} is no storage kind. The kinds are ${kinds}.`;
  }
  const twice = families.find(
    ({ family }, place) => families.findIndex((other) => other.family === family) !== place,
  );
  return twice === undefined ? undefined : `“${twice.family}” is there twice.`;
}

function isKind(storage: string): boolean {
  return STORAGE_KINDS.some((kind) => kind === storage);
}
