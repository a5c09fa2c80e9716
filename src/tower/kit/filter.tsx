import { SelectField, TextField } from "../component/field.tsx";
import { FiltersOn } from "../component/links.tsx";
import { Kept } from "../component/search_form.tsx";
import type { Address } from "./address.ts";

export interface FilterProps<State> {
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
