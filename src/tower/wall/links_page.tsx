import { Block } from "../component/block.tsx";
import { Empty } from "../component/empty.tsx";
import { type Refused, TextField } from "../component/field.tsx";
import { Form } from "../component/form.tsx";
import { ShownOnce } from "../component/shown_once.tsx";
import { DataTable } from "../component/table.tsx";
import { Code, Told } from "../component/text.tsx";
import type { FreshToken } from "../fresh_tokens.ts";
import { paths } from "../paths.ts";
import { SettingsPage } from "../settings/settings_page.tsx";
import { tokenColumns } from "../settings/token_columns.tsx";
import type { TokenRow } from "../settings/token_rows.ts";
import type { Shell } from "../shell.ts";
import { DENSITIES } from "./fit.ts";

/** A link in force: never its text. */
export interface WallLinkRow extends TokenRow {
  readonly name: string;
}

/** Links that open the Wall on a screen where nobody signs in. */
export function WallLinksPage(props: {
  readonly shell: Shell;
  readonly links: readonly WallLinkRow[];
  /** Links that were just made, while they may be shown. */
  readonly issued: readonly FreshToken[];
  /** Where a link leads to. */
  readonly addressOf: (token: string) => string;
  /** The address is one of this computer alone. */
  readonly isOnlyHere: boolean;
  readonly filled: { readonly values: { readonly name: string }; readonly errors: Refused };
}) {
  const { shell, links, issued } = props;
  return (
    <SettingsPage
      shell={shell}
      part={paths.wallLinks}
      title="Wall"
      note="A link opens the Wall and nothing else: it reads, it can change nothing, and it leads nowhere. Only its hash is stored."
    >
      {issued.map((fresh, place) => (
        <>
          <ShownOnce
            heading={
              <>
                The link for <Told class="wrap">{fresh.name}</Told>
              </>
            }
            fresh={fresh}
            text={props.addressOf(fresh.token)}
            back={paths.wallLinks}
            place={place}
          />
          {props.isOnlyHere ? (
            <p class="note">
              This address is one of this computer. For another screen, set <code>TOWER_PUBLIC_URL</code> to
              the address under which it reaches Tower.
            </p>
          ) : null}
        </>
      ))}
      <Block heading="Links" note="one for each screen, so that one can be revoked without the others">
        <DataTable
          fold
          caption="Links to the Wall"
          items={links}
          id={({ id }) => `link-${id}`}
          columns={[
            { words: "Screen", names: true, cell: ({ name }) => <Told class="wrap">{name}</Told> },
            { words: "Id", label: true, cell: ({ id }) => <Code>{id}</Code> },
            ...tokenColumns<WallLinkRow>({
              now: shell.now,
              revokeAt: ({ id }) => paths.revokeWallLink(id),
              what: "link",
              which: ({ id }) => id,
              consequence: "The screen that uses it is signed out at its next refresh.",
            }),
          ]}
          empty={
            <Empty heading="No link yet">
              <p>
                Whoever is signed in sees <a href={paths.wall}>the Wall</a> without one. A session ends after
                hours; a screen in a room takes a link.
              </p>
            </Empty>
          }
        />
        <Form action={paths.wallLinks} class="stack tight form">
          <h3>Make a link</h3>
          <TextField
            name="name"
            label="Screen"
            filled={props.filled}
            help="Where it hangs, such as TV in the hall."
            maxlength={64}
            autocomplete="off"
            required
          />
          <div>
            <button class="btn">Make a link</button>
          </div>
        </Form>
      </Block>
      <Block heading="How a screen shows it">
        <p>
          Open the link in the screen's browser and go to full screen with F11. The address then says what it
          shows, and keeps no secret; open the link itself again after the browser forgot its cookies, or make
          it the page that the browser starts with. A proxy in front writes the link into its log when it is
          opened: revoke it where strangers read that. These can be added to either address:
        </p>
        <DataTable
          fold
          caption="What an address of the Wall takes"
          items={OPTIONS}
          columns={[
            { words: "In the address", names: true, cell: ({ written }) => <code>{written}</code> },
            { words: "What it does", class: "all", cell: ({ words }) => words },
          ]}
        />
      </Block>
    </SettingsPage>
  );
}

const OPTIONS: readonly { readonly written: string; readonly words: string }[] = [
  { written: "group=<name>", words: "Only the sites of a group." },
  { written: "theme=dark", words: "Dark, light, or system for the look of the screen's own computer." },
  {
    written: "density=dense",
    words: `How many sites a screen holds before pages turn: roomy ${DENSITIES.roomy}, normal ${DENSITIES.normal}, dense ${DENSITIES.dense}. Dense is meant for 55 inches seen from 4 m.`,
  },
  {
    written: "page=2",
    words:
      "Stays on a page, so that several screens share the sites. Without it the pages turn every 12 seconds.",
  },
];
