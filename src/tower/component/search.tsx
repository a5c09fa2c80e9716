/** Forms that narrow what a page shows, by GET, so that what they lead to is a link like any other. */
import type { Child } from "../jsx/jsx-runtime.ts";

/** The rest of a view as hidden fields, from the query of its address: a form by GET replaces the query it is sent to. */
export function Kept({ search }: { readonly search: string }) {
  return (
    <>
      {[...new URLSearchParams(search)].map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
    </>
  );
}

/** A form with one control. */
export function SearchForm(props: {
  readonly action: string;
  readonly id: string;
  readonly label: string;
  /** The query of the view without what is sought. */
  readonly keep?: string;
  readonly button?: string;
  readonly children: Child;
}) {
  return (
    <form method="get" action={props.action} class="search" role="search">
      <label class="vh" for={props.id}>
        {props.label}
      </label>
      {props.children}
      <Kept search={props.keep ?? ""} />
      <button class="btn">{props.button ?? "Filter"}</button>
    </form>
  );
}

/** Seeks a text. */
export function SearchBox(props: {
  readonly action: string;
  readonly id?: string;
  readonly name?: string;
  readonly label: string;
  readonly value: string;
  readonly keep?: string;
  readonly maxlength?: number;
}) {
  const { id = "q", name = "q", label, value, maxlength, ...form } = props;
  return (
    <SearchForm {...form} id={id} label={label}>
      <input
        id={id}
        name={name}
        type="search"
        value={value}
        placeholder={label}
        maxlength={maxlength}
        autocomplete="off"
      />
    </SearchForm>
  );
}
