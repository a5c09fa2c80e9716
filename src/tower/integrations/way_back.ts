import { ownPath } from "../own_path.ts";

/** Where an act leads back to: the page of ours that its form names in `to`, without what it told of the act before. */
export function wayBack(form: URLSearchParams, otherwise: string): string {
  const to = form.get("to");
  if (to === null || to === "") return otherwise;
  const url = new URL(ownPath(to), "http://tower.invalid");
  url.searchParams.delete("done");
  return `${url.pathname}${url.search}`;
}
