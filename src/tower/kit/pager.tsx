/** Where a page stands in a longer list. */

import { formatCount } from "../format.ts";

export interface Paging {
  /** Counted from 1. */
  readonly page: number;
  readonly pages: number;
  readonly total: number;
  readonly first: number;
  readonly last: number;
}

/** The page of `total` items that holds the wanted one; a page beyond the end is the last. */
export function pagingOf(total: number, wanted: number, size: number): Paging {
  const pages = Math.max(1, Math.ceil(total / size));
  const page = Math.min(Math.max(1, wanted), pages);
  const first = total === 0 ? 0 : (page - 1) * size + 1;
  return { page, pages, total, first, last: Math.min(total, page * size) };
}

/** The items of the page that is wanted, with where it stands. */
export function pageOf<Item>(
  all: readonly Item[],
  wanted: number,
  size: number,
): { readonly items: readonly Item[]; readonly paging: Paging } {
  const paging = pagingOf(all.length, wanted, size);
  return { items: all.slice((paging.page - 1) * size, paging.page * size), paging };
}

/** Links to the pages before and after; nothing when all fits on one. */
export function Pager(props: {
  readonly paging: Paging;
  readonly what: string;
  readonly href: (page: number) => string;
}) {
  const { page, pages, total, first, last } = props.paging;
  if (pages === 1) return null;
  return (
    <nav class="pager row" aria-label="Pages">
      {page > 1 ? (
        <a class="btn" rel="prev" href={props.href(page - 1)}>
          ← Previous
        </a>
      ) : null}
      <span class="note">
        {formatCount(first)} to {formatCount(last)} of {formatCount(total)} {props.what}
      </span>
      {page < pages ? (
        <a class="btn" rel="next" href={props.href(page + 1)}>
          Next →
        </a>
      ) : null}
    </nav>
  );
}

/** Links of a list that is read from a place in it: back to its newest, on to what is earlier. */
export function EarlierPager(props: { readonly newest: string | null; readonly earlier: string | null }) {
  const { newest, earlier } = props;
  if (newest === null && earlier === null) return null;
  return (
    <nav class="pager row" aria-label="Pages">
      {newest === null ? null : (
        <a class="btn" href={newest}>
          Newest
        </a>
      )}
      {earlier === null ? null : (
        <a class="btn" rel="next" href={earlier}>
          Earlier →
        </a>
      )}
    </nav>
  );
}
