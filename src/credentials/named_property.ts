import type { Provider } from "../provider/contract.ts";
import type { CredentialKind } from "./contract.ts";

/** Which property of which provider an id names, or what is wrong with it. */
export type NamedProperty =
  | { readonly ok: true; readonly provider: Provider; readonly property: string }
  | { readonly ok: false; readonly fault: string };

/** Longest id, in characters: as long as an address may be. */
const LONGEST = 2_048;

/** Tells the provider by the form of a property's id: digits are of analytics, an address of search console or webmaster tools. */
export function readPropertyId(kind: CredentialKind, text: string): NamedProperty {
  const no = (fault: string) => ({ ok: false, fault }) as const;
  if (text.length > LONGEST || /[\s\p{Cc}]/u.test(text)) {
    return no(`a property's id has no white space and at most ${LONGEST} characters`);
  }
  const isAddress = /^https?:\/\//i.test(text) && URL.canParse(text);
  if (kind === "webmaster-tools-key") {
    return isAddress
      ? { ok: true, provider: "webmaster-tools", property: text }
      : no("a site of webmaster tools is named by its address, for example https://shop.example/");
  }
  const [, digits] = /^(?:properties\/)?(\d{1,20})$/.exec(text) ?? [];
  if (digits !== undefined) return { ok: true, provider: "analytics", property: digits };
  if (isAddress || /^sc-domain:[^/:]+$/i.test(text)) {
    return { ok: true, provider: "search-console", property: text };
  }
  if (/^(?:G|UA|GT|AW)-/i.test(text)) {
    return no(
      "that is a tag's id: the id of an analytics property is its number, under Admin, Property details",
    );
  }
  return no(
    "analytics properties are named by their number, search-console properties by sc-domain:shop.example or https://shop.example/",
  );
}
