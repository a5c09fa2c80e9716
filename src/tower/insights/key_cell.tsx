import { capital } from "../../lib/capital.ts";
import type { ReportFamily } from "../../provider/report/contract.ts";
import { Told } from "../component/text.tsx";
import { isAssistantReferral, LowerBound } from "./assistant.tsx";
import { countryName } from "./country.ts";
import { familyWords, keyKind } from "./family_words.ts";
import { cutInMiddle, plainAddress, shownAddress } from "./page_address.ts";

const LONGEST = 64;

/** What a row is told by: the first of its keys, and the others below it. */
export function KeyCell(props: {
  readonly family: ReportFamily;
  readonly keys: readonly string[];
  readonly hosts: readonly string[];
}) {
  const { family, keys, hosts } = props;
  const [first, ...rest] = familyWords(family.name).keys;
  const key = (dimension = "") => {
    const text = keys[family.dimensions.indexOf(dimension)] ?? "";
    return <Key dimension={dimension} text={text} hosts={hosts} />;
  };
  // What an analytics provider writes where it has nothing to say is no more than noise below a name.
  const told = rest.filter((dimension) => !NOTHING.has(keys[family.dimensions.indexOf(dimension)] ?? ""));
  return (
    <>
      {key(first)}
      {isAssistantReferral(family, keys) ? (
        <>
          {" "}
          <LowerBound />
        </>
      ) : null}
      {told.length === 0 ? null : (
        <small>
          {told.map((dimension, place) => (
            <>
              {place === 0 ? null : " · "}
              {key(dimension)}
            </>
          ))}
        </small>
      )}
    </>
  );
}

const NOTHING: ReadonlySet<string> = new Set(["", "(not set)"]);

function Key(props: {
  readonly dimension: string;
  readonly text: string;
  readonly hosts: readonly string[];
}) {
  const { dimension, text, hosts } = props;
  if (text.trim() === "") return <span class="dim">(empty)</span>;
  switch (keyKind(dimension)) {
    case "country":
      return <CutText text={countryName(text) ?? text.toUpperCase()} />;
    case "word":
      return <CutText text={capital(text.toLowerCase().replaceAll("_", " "))} />;
    case "address":
      return <Address address={text} hosts={hosts} />;
    case "mono":
      return <CutText text={text} class="mono" />;
    case "text":
      return <CutText text={text} />;
  }
}

/** An address of a page: as it is read, with all of it in its title. */
export function Address({ address, hosts }: { readonly address: string; readonly hosts: readonly string[] }) {
  return <CutText text={shownAddress(address, hosts)} whole={plainAddress(address)} class="mono" />;
}

/**
 * A text from outside on a line of its own. One that is too long shows its beginning and its end; all of it stands there, so that what is
 * selected and copied, searched for or read out is the whole.
 */
export function CutText(props: {
  readonly text: string;
  /** What the title says, where that is more. */
  readonly whole?: string;
  readonly class?: string;
}) {
  const { text, whole = text } = props;
  const { head, middle, tail } = cutInMiddle(text, LONGEST);
  const name = props.class === undefined ? "wrap" : `wrap ${props.class}`;
  if (middle === "") {
    if (whole === text) return <Told class={name}>{text}</Told>;
    return (
      <bdi class={name} title={whole} hx-ignore>
        {text}
      </bdi>
    );
  }
  return (
    <bdi class={name} title={whole} hx-ignore>
      {head}
      <span class="cut-out">{middle}</span>
      {tail}
    </bdi>
  );
}
