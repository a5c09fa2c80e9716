import type { Child } from "../jsx/jsx-runtime.ts";

/** What a control needs to name its help and its error. */
export interface FieldWiring {
  readonly id: string;
  readonly "aria-describedby": string | undefined;
  readonly "aria-invalid": "true" | undefined;
}

/** A labelled control: label above, help below, the error in words beside the control it is about. */
export function Field(props: {
  readonly id: string;
  readonly label: string;
  readonly help?: Child;
  readonly error?: string | undefined;
  readonly class?: string;
  readonly control: (wiring: FieldWiring) => Child;
}) {
  const notes = [
    props.help === undefined ? "" : `${props.id}-help`,
    props.error === undefined ? "" : `${props.id}-error`,
  ];
  const described = notes.filter((note) => note !== "").join(" ");
  return (
    <div class={props.class === undefined ? "field" : `field ${props.class}`}>
      <label for={props.id}>{props.label}</label>
      {props.control({
        id: props.id,
        "aria-describedby": described === "" ? undefined : described,
        "aria-invalid": props.error === undefined ? undefined : "true",
      })}
      {props.error === undefined ? null : (
        <small class="bad" id={`${props.id}-error`}>
          {props.error}
        </small>
      )}
      {props.help === undefined ? null : <small id={`${props.id}-help`}>{props.help}</small>}
    </div>
  );
}

/** The choices of a select, with the chosen one marked. */
export function Options(props: {
  readonly choices: readonly (readonly [value: string, words: string])[];
  readonly chosen: string;
}) {
  return (
    <>
      {props.choices.map(([value, words]) => (
        <option value={value} selected={value === props.chosen}>
          {words}
        </option>
      ))}
    </>
  );
}
