/** What the form of attachments says: which properties are ticked, and the site of each. */
import type { Provider } from "../../provider/contract.ts";
import { PROVIDERS } from "../../provider/contract.ts";

/** One ticked row. */
export interface TickedRow {
  /** Its place in the form. */
  readonly place: string;
  readonly credential: string;
  readonly provider: Provider;
  readonly property: string;
  /** As it was typed. */
  readonly site: string;
}

/** A row as a form carries it: `credential provider property`; no id holds white space. */
export function rowValue(of: {
  readonly credential: string;
  readonly provider: Provider;
  readonly property: string;
}): string {
  return `${of.credential} ${of.provider} ${of.property}`;
}

/** The rows that are ticked. A row that is not one of ours is left out. */
export function tickedRows(form: URLSearchParams): TickedRow[] {
  return form.getAll("pick").flatMap((place) => {
    const [credential = "", named = "", ...property] = (form.get(`row-${place}`) ?? "").split(" ");
    const provider = PROVIDERS.find((known) => known === named);
    if (provider === undefined || property.length === 0) return [];
    return [
      {
        place,
        credential,
        provider,
        property: property.join(" "),
        site: (form.get(`site-${place}`) ?? "").trim(),
      },
    ];
  });
}
