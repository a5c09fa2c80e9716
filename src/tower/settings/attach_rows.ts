/** The properties that the screen of attachments lists, in their order, each with the site it is most likely of. Pure. */

import { PROVIDERS, type Provider } from "../../providers/adapter.ts";
import type { Attachment, SeenProperty } from "../../providers/credentials.ts";
import { suggestAttachments } from "../../providers/properties.ts";
import { address, oneOf, PAGE, sought } from "../kit/address.tsx";
import { pageOf } from "../kit/list.tsx";
import { paths } from "../paths.ts";

const LONGEST_SOUGHT = 200;

/** Which properties are shown beside those without a site. */
const SHOWN = ["attached", "unusable"] as const;

/** The screen of attachments: which properties, and what is sought in them. */
export const attachAddress = address({
  show: oneOf(SHOWN, null),
  q: sought(LONGEST_SOUGHT),
  page: PAGE,
});
export type AttachQuery = typeof attachAddress.usual;
export const attachHref = attachAddress.at(paths.attachments);

/** Properties on one page: each is a row with a field. */
export const PAGE_SIZE = 50;

/** One property, once where several credentials list it. */
export interface PropertyRow {
  readonly seen: SeenProperty;
  /** Sites that it is attached to. */
  readonly sites: readonly string[];
  /** The site it is most likely of; undefined where none is, or where that has another property of the provider. */
  readonly suggested: string | undefined;
}

interface AttachInput {
  readonly properties: readonly SeenProperty[];
  readonly attachments: readonly Attachment[];
  readonly sites: readonly { readonly id: string; readonly url: string | null; readonly lifecycle: string }[];
}

/** Every property once, with its sites and its suggestion. */
export function propertyRows({ properties, attachments, sites }: AttachInput): PropertyRow[] {
  const attached = Map.groupBy(attachments, keyOf);
  const taken = new Set(attachments.map(({ provider, asset }) => `${provider} ${asset}`));
  // Nobody watches a retired site.
  const living = sites.filter(({ lifecycle }) => lifecycle !== "retired");
  const rows: PropertyRow[] = [];
  for (const provider of PROVIDERS) {
    const listed = onceEach(
      properties.filter((seen) => seen.provider === provider),
      attached,
    );
    const suggested = suggestAttachments(listed, living);
    for (const seen of [...listed, ...unlisted(attached, listed, provider)]) {
      const owners = (attached.get(keyOf(seen)) ?? []).map(({ asset }) => asset);
      const site = suggested.get(seen.property);
      const isFree =
        site !== undefined && owners.length === 0 && seen.usable && !taken.has(`${provider} ${site}`);
      rows.push({ seen, sites: owners, suggested: isFree ? site : undefined });
    }
  }
  return rows;
}

/** How many usable properties have no site. */
export function openProperties(of: Omit<AttachInput, "sites">): number {
  return propertyRows({ ...of, sites: [] }).filter(isOpen).length;
}

const isOpen = ({ seen, sites }: PropertyRow): boolean => seen.usable && sites.length === 0;

/** What is attached though no account lists it: by the command line before any was asked, or listed no more. */
function unlisted(
  attached: ReadonlyMap<string, readonly Attachment[]>,
  listed: readonly SeenProperty[],
  provider: Provider,
): SeenProperty[] {
  const known = new Set(listed.map(keyOf));
  return [...attached].flatMap(([key, [first]]) => {
    if (first?.provider !== provider || known.has(key)) return [];
    const { credential, property } = first;
    return [{ credential, provider, property, name: property, timeZone: null, usable: true, seenAt: 0 }];
  });
}

const keyOf = ({ provider, property }: { readonly provider: Provider; readonly property: string }) =>
  `${provider} ${property}`;

/** Each property as the credential lists it that it is attached over, else one that can use it. */
function onceEach(properties: readonly SeenProperty[], attached: ReadonlyMap<string, readonly Attachment[]>) {
  return [...Map.groupBy(properties, keyOf)].flatMap(([key, same]) => {
    const over = attached.get(key)?.[0]?.credential;
    const best =
      same.find(({ credential }) => credential === over) ?? same.find(({ usable }) => usable) ?? same[0];
    return best === undefined ? [] : [best];
  });
}

/** The rows that are asked for: those with a suggestion first, then by site, else by name. */
export function attachView(all: readonly PropertyRow[], query: AttachQuery) {
  const open = all.filter(isOpen);
  const attached = all.filter(({ sites }) => sites.length > 0);
  const unusable = all.filter(({ seen, sites }) => !seen.usable && sites.length === 0);
  const shown = query.show === "attached" ? attached : query.show === "unusable" ? unusable : open;
  const wanted = query.q.toLowerCase();
  const found = shown.filter(({ seen, sites, suggested }) =>
    [seen.name, seen.property, ...sites, suggested ?? ""].some((text) => text.toLowerCase().includes(wanted)),
  );
  found.sort(
    (one, other) =>
      Number(one.suggested === undefined) - Number(other.suggested === undefined) ||
      compare(placeName(one), placeName(other)) ||
      compare(keyOf(one.seen), keyOf(other.seen)),
  );
  const { items, paging } = pageOf(found, query.page, PAGE_SIZE);
  const suggested = open.filter((row) => row.suggested !== undefined).length;
  return {
    rows: items,
    paging,
    counts: { open: open.length, attached: attached.length, unusable: unusable.length, suggested },
  };
}

/** The first column of a row, by which its list is ordered. */
const placeName = ({ suggested, sites, seen }: PropertyRow): string =>
  suggested ?? sites[0] ?? seen.name.toLowerCase();

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** One ticked row; its site as it was typed. */
export type TickedRow = ReturnType<typeof tickedRows>[number];

/** A row as a form carries it: `credential provider property`; no id holds white space. */
export function rowValue(of: Pick<Attachment, "credential" | "provider" | "property">): string {
  return `${of.credential} ${of.provider} ${of.property}`;
}

/** The rows that are ticked. A row that is not one of ours is left out. */
export function tickedRows(form: URLSearchParams) {
  return form.getAll("pick").flatMap((place) => {
    const [credential = "", named = "", ...property] = (form.get(`row-${place}`) ?? "").split(" ");
    const provider = PROVIDERS.find((known) => known === named);
    if (provider === undefined || property.length === 0) return [];
    const site = (form.get(`site-${place}`) ?? "").trim();
    return [{ credential, provider, property: property.join(" "), site }];
  });
}
