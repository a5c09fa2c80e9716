/** A search over a list: one field, and a button for who has no scripts. */
export function SearchForm(props: {
  readonly action: string;
  readonly words: string;
  readonly value: string;
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
      <button class="btn">Filter</button>
    </form>
  );
}
