import type { Child } from "../jsx/jsx-runtime.ts";
import { Callout } from "./callout.tsx";
import { Copy } from "./copy.tsx";

/**
 * A secret that was just made. Only its hash is stored, so this is the one time it can be read; an answer that holds it must not
 * be kept by the browser.
 */
export function ShownOnce({
  heading,
  kind,
  secret,
}: {
  readonly heading: Child;
  readonly kind: string;
  readonly secret: string;
}) {
  return (
    <Callout role="status">
      <p>
        <b>{heading}</b>, shown this once:
      </p>
      <Copy id="token" label={kind} text={secret} />
    </Callout>
  );
}
