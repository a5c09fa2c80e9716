import { Told } from "./text.tsx";

/** The slot of a figure without a value. It never looks like a 0; the reason stands below it when given. */
export function NotMeasured({
  reason,
  words = "Not measured",
}: {
  readonly reason?: string;
  readonly words?: string;
}) {
  return (
    <>
      <span class="nm">{words}</span>
      {reason === undefined ? null : (
        <small>
          <Told>{reason}</Told>
        </small>
      )}
    </>
  );
}
