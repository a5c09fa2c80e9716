/** Text to be copied whole, a command or a secret. The button works with scripts; the text can be selected without. */
export function Copy({
  id,
  label,
  text,
}: {
  readonly id: string;
  readonly label: string;
  readonly text: string;
}) {
  return (
    <div class="copy">
      <pre id={id} hx-ignore tabindex={0} role="group" aria-label={label}>
        {text}
      </pre>
      <button class="btn" type="button" data-copy={id} aria-label={`Copy: ${label}`} hidden>
        Copy
      </button>
    </div>
  );
}
