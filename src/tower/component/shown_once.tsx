import type { FreshToken, TokenKind } from "../fresh_tokens.ts";
import type { Child } from "../jsx/jsx-runtime.ts";
import { paths } from "../paths.ts";
import { Callout } from "./callout.tsx";
import { Copy } from "./copy.tsx";
import { Act } from "./form.tsx";
import { Clock } from "./time.tsx";

const LABELS: Readonly<Record<TokenKind, string>> = {
  site: "site token",
  operator: "operator token",
  wall: "link to the Wall",
};

/**
 * A token that was just made, with the button that says that it is kept; `back` is the page to come back to. Only its hash is
 * stored, and it is shown for a while to whoever made it; an answer that holds it must not be kept by the browser.
 */
export function ShownOnce(props: {
  readonly heading: Child;
  readonly fresh: FreshToken;
  readonly back: string;
  /** What is shown of it, where that is more than the token itself. */
  readonly text?: string;
  /** Where several stand on one page. */
  readonly place?: number;
}) {
  const { fresh, back, place = 0 } = props;
  const { kind, name, token, until } = fresh;
  return (
    <Callout role="status">
      <p>
        <b>{props.heading}</b>, shown to you alone until <Clock at={until} /> UTC, or until you say that you
        have it:
      </p>
      <Copy id={place === 0 ? "token" : `token-${place}`} label={LABELS[kind]} text={props.text ?? token} />
      <Act
        action={paths.tokenReceipt}
        words="I have it"
        hidden={[
          ["kind", kind],
          ["name", name],
          ["to", back],
        ]}
      />
    </Callout>
  );
}
