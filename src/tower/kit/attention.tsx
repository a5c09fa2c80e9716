/** Entries of the ranking as every page shows them: one line for each cause, with what to do about it; and a site's flags in a list. */

import { countWords as countOf } from "../../base/text.ts";
import type { Entry } from "../../integrations/attention.ts";
import type { Child } from "../jsx/jsx-runtime.ts";
import { paths } from "../paths.ts";
import { Glyph } from "./glyph.tsx";
import { type Severity, Told, Unseen } from "./links.tsx";
import { DateOf, Moment, When } from "./proof.tsx";

const SEVERITY_WORDS = { error: "Error", warn: "Warning", info: "Info" } as const;

/** What needs somebody: a glyph, the site, the news, since when, and one action. */
export function AttentionList(props: {
  readonly entries: readonly Entry[];
  readonly bare?: boolean;
  /** What is drawn beside the news, by cause. */
  readonly pictures?: ReadonlyMap<string, Child>;
}) {
  return (
    <ol class={props.bare === true ? "attention bare" : "attention"} role="list">
      {props.entries.map((entry) => (
        <Line
          entry={entry}
          bare={props.bare === true}
          picture={props.pictures === undefined ? undefined : (props.pictures.get(entry.cause) ?? null)}
        />
      ))}
    </ol>
  );
}

function Line(props: { readonly entry: Entry; readonly bare: boolean; readonly picture: Child }) {
  const { entry, bare, picture } = props;
  const { cause, severity, title, also, since, assets, action } = entry;
  const [worst, ...others] = also;
  return (
    <li id={`attention-${cause.replaceAll(/[^a-z0-9]+/gi, "-")}`} data-sev={severity}>
      <Glyph name={`f-${severity}`} />
      {bare ? null : <Whose assets={assets} />}
      <div>
        <p class="said">
          <Unseen>{SEVERITY_WORDS[severity]}: </Unseen>
          <b>
            <Told>{title}</Told>
          </b>
        </p>
        {entry.rows.length === 0 ? (
          <p class="note">{action.text}</p>
        ) : worst === undefined ? null : (
          <p class="note cut">
            Also: <Told>{others.length === 0 ? worst : worst.replace(/\.$/, "")}</Told>
            {others.length === 0 ? null : `, and ${others.length} more`}
          </p>
        )}
      </div>
      {picture === undefined ? null : <span class="picture">{picture}</span>}
      <span class="note since">
        {since === null ? null : (
          <>
            {entry.rows.length === 0 ? "since" : "raised"} <DateOf at={since} />
          </>
        )}
      </span>
      <a class="btn" href={action.href}>
        {action.verb}
        <Unseen>: {title}</Unseen>
      </a>
    </li>
  );
}

/** The site, or how many; a channel or a job has none. */
function Whose({ assets }: Pick<Entry, "assets">) {
  const [first, ...others] = assets;
  if (first === undefined) return <span class="whose">Tower</span>;
  if (others.length > 0)
    return (
      <span class="whose" title={assets.slice(0, 20).join(", ")}>
        {countOf(assets.length, "site")}
      </span>
    );
  return (
    <a class="whose cut" href={paths.site(first)} title={first}>
      <Told>{first}</Told>
    </a>
  );
}

/** What nobody needs to act on: one quiet line. */
export function Retrying({ entries }: { readonly entries: readonly Entry[] }) {
  const [first, ...others] = entries;
  if (first === undefined) return null;
  return (
    <p class="note retrying" id="retrying">
      <Glyph name="s-idle" />
      <span>
        <a href={paths.integrations}>Retrying automatically</a>: <Told>{first.title}</Told>
        {first.nextRetryAt === null ? null : (
          <>
            , next at <Moment at={first.nextRetryAt} />
          </>
        )}
        {others.length === 0 ? null : `; and ${others.length} more`}
      </span>
    </p>
  );
}

// Flags as the pages of a site list them: what each says leads to its page.

export interface ListedFlag {
  readonly id: string;
  readonly severity: Severity;
  readonly message: string;
  /** When the condition began. */
  readonly heldSince: number;
}

export function ListedFlags({ flags }: { readonly flags: readonly ListedFlag[] }) {
  return (
    <ul class="list raised short">
      {flags.map(({ id, severity, message, heldSince }) => (
        <li data-sev={severity}>
          <Glyph name={`f-${severity}`} />
          <div>
            <p class="said">
              <Unseen>{severity}: </Unseen>
              <a href={paths.flag(id)}>
                <Told>{message}</Told>
              </a>
            </p>
            <p class="note">
              raised <When at={heldSince} />
            </p>
          </div>
        </li>
      ))}
    </ul>
  );
}
