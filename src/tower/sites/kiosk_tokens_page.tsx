/** A link in force: never its text. */

import {
  type KioskTokenBook,
  LONGEST_NAME,
  linkNameOf,
  listKioskTokens,
  makeKioskToken,
  NameTaken,
  revokeKioskToken,
} from "../../access/kiosk_tokens.ts";
import { Problem } from "../../base/problem.ts";
import { typedInto } from "../form.ts";
import type { FreshToken, FreshTokens } from "../fresh_tokens.ts";
import { withNotice } from "../keyboard.tsx";
import { Block } from "../kit/block.tsx";
import { confirmed } from "../kit/confirmed_form.tsx";
import { Empty } from "../kit/empty.tsx";
import { type Refused, TextField } from "../kit/field.tsx";
import { Code, Told } from "../kit/links.tsx";
import { List } from "../kit/list.tsx";
import { mounted, own, type Visit } from "../kit/route.ts";
import { Form, ShownOnce } from "../kit/shown_once.tsx";
import { paths } from "../paths.ts";
import { type SignedIn, seeOther } from "../session.ts";
import { SettingsPage } from "../settings/settings.tsx";
import type { DoorDeps } from "../settings/sign_in.tsx";
import { type TokenRow, tokenColumns } from "../settings/token_list.tsx";

interface KioskTokenRow extends TokenRow {
  readonly name: string;
}

/** Links that open the Wall on a screen where nobody signs in. */
function KioskTokensPage(props: {
  readonly links: readonly KioskTokenRow[];
  /** Links that were just made, while they may be shown. */
  readonly issued: readonly FreshToken[];
  /** Where a link leads to. */
  readonly addressOf: (token: string) => string;
  /** The address is one of this computer alone. */
  readonly isOnlyHere: boolean;
  readonly filled: { readonly values: { readonly name: string }; readonly errors: Refused };
}) {
  const { links, issued } = props;
  return (
    <SettingsPage
      part={paths.kioskTokens}
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
            back={paths.kioskTokens}
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
        <List
          of="Links to the Wall"
          items={links}
          id={({ id }) => `link-${id}`}
          columns={[
            ["Screen", ({ name }) => <Told class="wrap">{name}</Told>],
            ["Id", ({ id }) => <Code>{id}</Code>],
            ...tokenColumns<KioskTokenRow>({
              revokeAt: ({ id }) => paths.revokeKioskToken(id),
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
        <Form action={paths.kioskTokens} class="stack tight form">
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
        <List
          of="What an address of the Wall takes"
          items={OPTIONS}
          columns={[
            ["In the address", ({ written }) => <code>{written}</code>],
            ["What it does", ({ words }) => words, { class: "all" }],
          ]}
        />
      </Block>
    </SettingsPage>
  );
}

const OPTIONS: readonly { readonly written: string; readonly words: string }[] = [
  { written: "group=<name>", words: "Only the sites of a group." },
  { written: "theme=dark", words: "Dark, light, or system for the look of the screen's own computer." },
];

/** What the page of the links needs. */

interface KioskTokenRouteDeps extends DoorDeps {
  readonly kioskTokens: KioskTokenBook;
  readonly freshTokens: FreshTokens;
  readonly config: { readonly tower: { readonly publicUrl: string | undefined } };
}

type LinksVisit = Pick<
  Visit<SignedIn, unknown, unknown, unknown, unknown>,
  "request" | "who" | "now" | "page"
>;

/** `/settings/wall`: make and revoke links to the Wall. */
export function kioskTokenRoutes(deps: KioskTokenRouteDeps) {
  const { post } = confirmed();
  return mounted(deps, [
    own.get(paths.kioskTokens, {}, (visit) => page(deps, visit)),
    post(paths.kioskTokens, {}, async (visit) => {
      const { name: typed } = typedInto(visit.form, { name: "" });
      const refused = (name: string) => page(deps, visit, { values: { name: typed }, errors: { name } });
      const name = linkNameOf(typed);
      if (name === undefined)
        return refused(`A name is words on one line, at most ${LONGEST_NAME} characters.`);
      try {
        const { token } = await makeKioskToken(deps, name, visit.by);
        deps.freshTokens.keep(visit.who, { kind: "wall", name, token }, visit.now);
      } catch (error) {
        if (error instanceof NameTaken)
          return refused("There is a link of this name. Revoke it first, or choose another.");
        throw error;
      }
      return seeOther(paths.kioskTokens);
    }),
    post(paths.revokeKioskToken, {}, async ({ params: { id }, by }) => {
      if (await revokeKioskToken(deps, id, by))
        return seeOther(withNotice(paths.kioskTokens, "wall-link-revoked"));
      throw new Problem("not-found", "No such link is in force; it may have been revoked before.");
    }),
  ]);
}

function page(
  deps: KioskTokenRouteDeps,
  { request, who, now, page: answer }: LinksVisit,
  filled: { readonly values: { readonly name: string }; readonly errors: Refused } = {
    values: { name: "" },
    errors: {},
  },
): Response {
  const { store, kioskTokens, freshTokens, config } = deps;
  const scheme = deps.sessions.transport(request) === "https" ? "https" : "http";
  const asked = `${scheme}://${request.headers.get("host") ?? new URL(request.url).host}`;
  const base = config.tower.publicUrl ?? asked;
  const issued = freshTokens.list(who, ["wall"], now);
  const links = listKioskTokens(store.db).map((link) => ({
    id: link.id,
    name: link.name,
    issued: { at: link.createdAt, by: link.createdBy },
    lastUsedAt: kioskTokens.lastUse(link, link.lastUsedAt),
  }));
  return answer(
    <KioskTokensPage
      links={links}
      issued={issued}
      addressOf={(token) => new URL(paths.wallOpenedBy(token), base).href}
      isOnlyHere={config.tower.publicUrl === undefined && deps.sessions.transport(request) === "loopback"}
      filled={filled}
    />,
    { status: filled.errors["name"] === undefined ? 200 : 422, noStore: issued.length > 0 },
  );
}
