/** Finding a site by a part of its identifier or address, in small or capital letters. Pure. */

/** What a site is found by. */
interface Findable {
  readonly asset: string;
  readonly url: string | null;
}

/** Whether a site holds what is sought; every site holds nothing. */
export function sought(text: string): (site: Findable) => boolean {
  const wanted = text.toLowerCase();
  return ({ asset, url }) =>
    asset.toLowerCase().includes(wanted) || (url ?? "").toLowerCase().includes(wanted);
}

/** The one site that is meant: the only one that holds the text, or the one of exactly that identifier. */
export function siteMeant(sites: readonly Findable[], text: string): string | undefined {
  if (text === "") return undefined;
  const found = sites.filter(sought(text));
  const exact = found.filter(({ asset }) => asset.toLowerCase() === text.toLowerCase());
  return (found.length === 1 ? found : exact.length === 1 ? exact : [])[0]?.asset;
}
