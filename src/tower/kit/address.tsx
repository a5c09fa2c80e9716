/**
 * The query of an address as typed state, and back: every view is a link. What an address says that is not understood reads as not
 * given, so that an old link still opens; what is as usual is left out of a link.
 */

import { codePoints } from "../../base/contract.ts";
import { addDays, parseUtcDay, startOfDay, type UtcDay } from "../../base/time.ts";
import { Kept, SelectField, TextField } from "./field.tsx";
import { FiltersOn } from "./links.tsx";

/** One parameter of a query. */
export interface Param<Value> {
  /** The value of an address without it. */
  readonly usual: Value;
  /** The value a text stands for; undefined for one that is not understood. */
  readonly read: (text: string) => Value | undefined;
  /** The values to choose from, where there are few. */
  readonly choices?: readonly (string | number)[];
  /** What a value is called where it is chosen and shown; itself when absent. */
  readonly called?: (value: Value) => string;
  /** The control of a form that takes it; a line of text when absent. */
  readonly control?: "date" | "search";
}

/** A query that is read, written and linked to. */
export interface Address<State> {
  readonly params: { readonly [Name in keyof State]: Param<State[Name]> };
  /** What an address without a query asks for. */
  readonly usual: State;
  read(sent: URLSearchParams): State;
  /** The query that asks for a state, with its question mark; "" for the usual one. What is absent is as usual. `more` goes along. */
  search(state: Partial<State>, more?: More): string;
  /** Makes links to a page with this query. */
  at(path: string): (state: Partial<State>, more?: More) => string;
}

/** What an address says beside its state, as it is. */
export type More = Readonly<Record<string, string>>;

/** A query of these parameters, written in this order. */
export function address<State extends object>(
  params: {
    readonly [Name in keyof State]: Param<State[Name]>;
  },
): Address<State> {
  const names = Object.keys(params) as (keyof State & string)[];
  const each = (of: (name: keyof State & string) => unknown) =>
    Object.fromEntries(names.map((name) => [name, of(name)])) as State;
  const usual = each((name) => params[name].usual);
  const search: Address<State>["search"] = (state, more = {}) => {
    const written = names
      .filter((name) => (state[name] ?? usual[name]) !== usual[name])
      .map((name) => [name, String(state[name])]);
    const text = new URLSearchParams([...written, ...Object.entries(more)]).toString();
    return text === "" ? "" : `?${text}`;
  };
  return {
    params,
    usual,
    read: (sent) =>
      each((name) => {
        const text = sent.get(name);
        return (text === null ? undefined : params[name].read(text)) ?? usual[name];
      }),
    search,
    at: (path) => (state, more) => `${path}${search(state, more)}`,
  };
}

/** One of these, or what is usual where an address names none of them. */
export function oneOf<Value extends string | number, const Usual>(
  values: readonly Value[],
  usual: Usual,
  called?: (value: Value) => string,
): Param<Value | Usual> {
  const isOne = (value: Value | Usual): value is Value => values.some((one) => one === value);
  return {
    usual,
    choices: values,
    read: (text) => values.find((value) => String(value) === text),
    ...(called && { called: (value: Value | Usual) => (isOne(value) ? called(value) : "") }),
  };
}

/** What is sought: trimmed and cut, "" where nothing is. */
export function sought(longest: number): Param<string> {
  return { usual: "", control: "search", read: (text) => text.trim().slice(0, longest) };
}

/** A name, whole or not at all; `longest` in code points, as contracts count. */
export function named<const Usual>(longest: number, usual: Usual): Param<string | Usual> {
  return { usual, read: (text) => (text === "" || codePoints(text) > longest ? undefined : text) };
}

/** A calendar day in UTC, or null. */
export const DAY: Param<UtcDay | null> = { usual: null, control: "date", read: parseUtcDay };

/** A page of a list, counted from 1. */
export const PAGE: Param<number> = {
  usual: 1,
  read: (text) => (/^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined),
};

/** The number of a row that a list goes on before, or null. */
export const ROW: Param<number | null> = {
  usual: null,
  read: (text) => (/^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined),
};

/** A query as readers of rows take it: what is not asked for is undefined. */
export const given = <State extends object>(query: State) =>
  Object.fromEntries(Object.entries(query).map(([name, value]) => [name, value ?? undefined])) as {
    readonly [Name in keyof State]: null extends State[Name]
      ? NonNullable<State[Name]> | undefined
      : State[Name];
  };

/** The instants of days of which either may be open: from the first one's midnight to before the midnight after the last. */
export function instantsOf({ from, to }: { readonly from: UtcDay | null; readonly to: UtcDay | null }) {
  return {
    from: from === null ? null : startOfDay(from),
    until: to === null ? null : startOfDay(addDays(to, 1)),
  };
}

interface FilterProps<State> {
  /** The page that is narrowed. */
  readonly path: string;
  readonly address: Address<State>;
  readonly query: State;
  /** The parameters that narrow it, in their order, each with its name in words. */
  readonly words: { readonly [Name in keyof State]?: string };
}

/** Chooses what a page is narrowed to: a control for each parameter, of its kind. It stands outside what refreshes. */
export function FilterForm<State extends object>({ path, address, query, words }: FilterProps<State>) {
  const names = namesIn(words);
  const rest = {
    ...query,
    ...Object.fromEntries([...names, "before", "page"].map((name) => [name, undefined])),
  };
  return (
    <form method="get" action={path} class="fields">
      <Kept search={address.search(rest)} />
      {names.map((name) => {
        const { choices, control } = address.params[name];
        const [label, value] = [words[name] ?? name, String(query[name] ?? "")];
        return choices === undefined ? (
          <TextField name={name} label={label} type={control} value={value} autocomplete="off" />
        ) : (
          <SelectField
            name={name}
            label={label}
            choices={[
              ["", "any"],
              ...choices.map((choice) => [String(choice), wordsOf(address, name, choice)] as const),
            ]}
            chosen={value}
          />
        );
      })}
      <div class="field">
        <button class="btn">Filter</button>
      </div>
    </form>
  );
}

/** What a page is narrowed to: a chip for each, which takes it off. */
export function Filters<State extends object>({ path, address, query, words }: FilterProps<State>) {
  return (
    <FiltersOn
      filters={namesIn(words).map((name) => ({
        name: words[name] ?? name,
        value: query[name] === address.usual[name] ? null : wordsOf(address, name, query[name]),
        href: `${path}${address.search({ ...query, [name]: undefined, before: undefined, page: undefined })}`,
      }))}
    />
  );
}

/** What a value of a parameter is called. */
function wordsOf<State>(address: Address<State>, name: keyof State, value: unknown): string {
  return address.params[name].called?.(value as State[typeof name]) ?? String(value);
}

function namesIn<State>(words: FilterProps<State>["words"]): (keyof State & string)[] {
  return Object.keys(words) as (keyof State & string)[];
}
