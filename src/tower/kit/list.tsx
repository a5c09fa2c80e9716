/**
 * A block of a page, and the list in it with its pages and what stands in its place while it is empty. Of a table each column is its heading, its cell, and what is unusual about it.
 *
 * A table that sorts takes its order from the address (`?sort=clicks`, the other way round `?sort=-clicks`), so that every view is a link:
 *
 *     const queries = address({ sort: sortOf(["query", "clicks", "change"], "clicks"), page: PAGE });
 *     const columns: Column<Row>[] = [
 *       ["Query", ({ query }) => <Told>{query}</Told>, { sort: ["query", ({ query }) => query] }],
 *       ["Clicks", ({ clicks }) => formatCount(clicks), { numeric: true, sort: ["clicks", ({ clicks }) => clicks] }],
 *       changeColumn("Change", ({ clicks, before }) => ({ now: clicks, before }), "change"),
 *     ];
 *     const { items, paging } = pageOf(inOrder(rows, columns, query.sort), query.page, 50);
 *     <List of="Queries" items={items} columns={columns} sort={{ by: query.sort, href: (sort) => href({ ...query, sort, page: 1 }) }} />
 *
 * Numbers begin with the largest, names with A; rows without a value come last in both directions, and equal rows keep their order.
 */

import { formatCount, formatPercent } from "../format.ts";
import type { Child } from "../jsx/jsx-runtime.ts";
import type { Param } from "./address.tsx";
import { Unseen } from "./links.tsx";

/** Where a page stands in a longer list. */
export type Paging = ReturnType<typeof pagingOf>;

/** The page of `total` items that holds the wanted one, counted from 1; a page beyond the end is the last. */
export function pagingOf(total: number, wanted: number, size: number) {
  const pages = Math.max(1, Math.ceil(total / size));
  const page = Math.min(Math.max(1, wanted), pages);
  const first = total === 0 ? 0 : (page - 1) * size + 1;
  return { page, pages, total, first, last: Math.min(total, page * size) };
}

/** The items of the page that is wanted, with where it stands. */
export function pageOf<Item>(all: readonly Item[], wanted: number, size: number) {
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

/** A stretch of a list, of which one item more than it has was looked for: the last of it where others follow. */
export function stretchOf<Item>(found: readonly Item[], size: number) {
  const items = found.slice(0, size);
  return { items, last: found.length > size ? items.at(-1) : undefined };
}

/** Links of a list that is read from a place in it: back to its newest, on to what is earlier; null is the newest. */
export function EarlierPager<Place>(props: {
  readonly from: Place | null;
  readonly next: Place | undefined;
  readonly href: (from: Place | null) => string;
}) {
  const { from, next, href } = props;
  if (from === null && next === undefined) return null;
  return (
    <nav class="pager row" aria-label="Pages">
      {from === null ? null : (
        <a class="btn" href={href(null)}>
          Newest
        </a>
      )}
      {next === undefined ? null : (
        <a class="btn" rel="next" href={href(next)}>
          Earlier →
        </a>
      )}
    </nav>
  );
}

/** An empty place: what is missing, why, and the next step. */
export function Empty(props: {
  readonly heading: string;
  /** It stands in no block of its page, so that no heading is above its own but the page's. */
  readonly alone?: boolean;
  readonly children: Child;
}) {
  const { heading, alone = false, children } = props;
  return (
    <div class="empty">
      {alone ? <h2>{heading}</h2> : <h3>{heading}</h3>}
      {children}
    </div>
  );
}

/**
 * A section under one ink rule: heading, a note beside it, controls at the end. Its heading names it on its page, so that a refresh
 * which brings another one above it knows it again.
 */
export function Block(props: {
  readonly heading: string;
  readonly id?: string;
  readonly note?: Child;
  readonly tools?: Child;
  readonly children: Child;
}) {
  return (
    <section
      class="block"
      id={props.id ?? `block-${props.heading.toLowerCase().replace(/[^a-z0-9]+/g, "-")}`}
    >
      <header>
        <h2>{props.heading}</h2>
        {props.note === undefined ? null : <small>{props.note}</small>}
        {props.tools === undefined ? null : <div class="row">{props.tools}</div>}
      </header>
      {props.children}
    </section>
  );
}

type Value = number | string | null | undefined;

interface Unusual<Item> {
  /** Its cells name their rows. */
  readonly names?: boolean;
  /** What a narrow page repeats before the cell; the heading, unless the cell takes the whole width or has its own words. */
  readonly label?: string | boolean;
  /** A column of numbers, aligned at its end. */
  readonly numeric?: boolean;
  readonly class?: string | undefined;
  /** The heading is for screen readers only. */
  readonly unseen?: boolean;
  /** Its heading sorts: the column's key in the address, and the value that a row is sorted by. */
  readonly sort?: readonly [key: string, value: (item: Item) => Value];
  /** How the rows are ordered by it, where its heading is its own link that sorts. */
  readonly sorted?: "ascending" | "descending" | undefined;
}

export type Column<Item> = readonly [
  words: Child,
  cell: (item: Item, place: number) => Child,
  unusual?: Unusual<Item>,
];

type Columns<Item> = readonly (Column<Item> | null)[];

/** The order of a table in its address: the key of one of its columns, turned round by a "-" before it. */
export function sortOf(keys: readonly string[], usual: string): Param<string> {
  return {
    usual,
    read: (text) => (keys.includes(text.replace(/^-/, "")) ? text : undefined),
  };
}

/** The rows in the order that the address asks for; as they are where no column has that key. */
export function inOrder<Item>(items: readonly Item[], columns: Columns<Item>, by: string): readonly Item[] {
  const value = columns.find((column) => column?.[2]?.sort?.[0] === by.replace(/^-/, ""))?.[2]?.sort?.[1];
  if (value === undefined) return items;
  const turned = by.startsWith("-") ? -1 : 1;
  return items.toSorted((one, other) => {
    const [a, b] = [value(one) ?? null, value(other) ?? null];
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    if (a === b) return 0;
    return isText(a) === a < b ? -turned : turned;
  });
}

function isText(value: Value): boolean {
  return typeof value === "string";
}

/**
 * The first column names the rows, unless another does. Rows turn into strips on a narrow page, but for `fold={false}`: that changes
 * their display, which drops their meaning for assistive technology, so every part states its role.
 */
export function List<Item>(props: {
  /** What they are, for screen readers. */
  of: string;
  items: readonly Item[];
  columns: Columns<Item>;
  /** In the place of a table without items. */
  empty?: Child;
  /** The order that the rows are in, and the address of the same view in another. */
  sort?: { readonly by: string; readonly href: (sort: string) => string };
  /** Lets a live refresh match a row with the one it replaces. */
  id?: (item: Item) => string;
  class?: string | undefined;
  fold?: boolean;
}) {
  const { items, fold = true, sort } = props;
  if (items.length === 0 && props.empty !== undefined) return <>{props.empty}</>;
  const shown = props.columns.filter((column) => column !== null);
  const isNamed = shown.some(([, , unusual]) => unusual?.names !== undefined);
  const columns = shown.map(([words, cell, unusual = {}], place) => {
    const names = isNamed ? unusual.names === true : place === 0;
    const isPlain = fold && !names && unusual.unseen !== true && unusual.class !== "all";
    const { label = isPlain, sort: own, numeric, sorted, unseen } = unusual;
    return {
      heading: sort && own ? sortingHeading(words, own, sort, items) : { words, sorted },
      cell,
      names,
      unseen,
      numeric: numeric === true && "n",
      class: unusual.class,
      label: label === true ? String(words) : label || undefined,
    };
  });
  return (
    <table class={classOf(fold && "fold", props.class)} role="table">
      <caption class="vh">{props.of}</caption>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map(({ heading: { words, sorted }, numeric, unseen }) => (
            <th scope="col" role="columnheader" class={classOf(numeric)} aria-sort={sorted}>
              {unseen === true ? <Unseen>{words}</Unseen> : words}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {items.map((item, place) => (
          <tr role="row" id={props.id?.(item)}>
            {columns.map(({ cell, names, numeric, label, class: name }) =>
              names ? (
                <th scope="row" role="rowheader" class={name}>
                  {cell(item, place)}
                </th>
              ) : (
                <td role="cell" class={classOf(numeric, name)} data-l={label}>
                  {cell(item, place)}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function classOf(...names: readonly (string | false | undefined)[]): string | undefined {
  return names.filter(Boolean).join(" ") || undefined;
}

/** A heading that sorts by its column, and turns the order round where the rows are in it. */
function sortingHeading<Item>(
  words: Child,
  [key, value]: NonNullable<Unusual<Item>["sort"]>,
  { by, href }: { readonly by: string; readonly href: (sort: string) => string },
  items: readonly Item[],
): { readonly words: Child; readonly sorted: Unusual<Item>["sorted"] } {
  const turned = by === `-${key}`;
  const rises = items.some((item) => isText(value(item))) !== turned;
  return {
    words: <a href={href(by === key ? `-${key}` : key)}>{words}</a>,
    sorted: by !== key && !turned ? undefined : rises ? "ascending" : "descending",
  };
}

/** A value, and that of the period before; null where there is none. */
export interface Compared {
  readonly now: number | null | undefined;
  readonly before: number | null | undefined;
}

/** A column of the change against the period before: "+12%", "−64%", "new". It sorts where it has a key. */
export function changeColumn<Item>(
  words: string,
  compared: (item: Item) => Compared,
  key?: string,
): Column<Item> {
  return [
    words,
    (item) => <Change {...compared(item)} />,
    {
      numeric: true,
      ...(key !== undefined && {
        sort: [key, (item) => changeOf(compared(item))],
      }),
    },
  ];
}

/** The change in percent, infinite from nothing; null where one of the two is absent. */
function changeOf({ now, before }: Compared): number | null {
  if (typeof now !== "number" || typeof before !== "number") return null;
  return now === before ? 0 : ((now - before) / Math.abs(before)) * 100;
}

/** "+12%", "−64%", "new" after a period that counted none, or a dash that says it has nothing to compare. */
export function Change(compared: Compared) {
  const change = changeOf(compared);
  if (change === null) {
    const why =
      compared.now === null || compared.now === undefined ? "No data" : "No earlier data to compare";
    return (
      <span class="dim" title={why}>
        <span aria-hidden="true">–</span>
        <Unseen>{why}</Unseen>
      </span>
    );
  }
  if (!Number.isFinite(change)) return <>new</>;
  const size = Math.abs(change);
  // A tenth of a percent says nothing beside a change of ten.
  const percent = size < 10 ? formatPercent(size) : `${formatCount(size)}%`;
  return <>{percent === "0.0%" ? percent : `${change > 0 ? "+" : "−"}${percent}`}</>;
}
