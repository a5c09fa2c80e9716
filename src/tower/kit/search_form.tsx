/** The rest of a view as hidden fields: a form by GET replaces the query of the address it is sent to. */
export function Kept({ search = "" }: { readonly search?: string | undefined }) {
  return (
    <>
      {[...new URLSearchParams(search)].map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
    </>
  );
}

/** A search over a list: one field, and a button for who has no scripts. What it leads to is a link like any other. */
export function SearchForm(props: {
  readonly action: string;
  readonly words: string;
  readonly value: string;
  /** The query of the view without what is sought. */
  readonly keep?: string;
  readonly name?: string;
  readonly id?: string;
  readonly maxlength?: number;
}) {
  const { words, name = "q", id = name } = props;
  return (
    <form method="get" action={props.action} class="search" role="search">
      <label class="vh" for={id}>
        {words}
      </label>
      <input
        id={id}
        name={name}
        type="search"
        value={props.value}
        placeholder={words}
        maxlength={props.maxlength}
        autocomplete="off"
      />
      <Kept search={props.keep} />
      <button class="btn">Search</button>
    </form>
  );
}
