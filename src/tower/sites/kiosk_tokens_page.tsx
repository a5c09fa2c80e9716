/** `/settings/wall`: links that open the Wall on a screen where nobody signs in. */

import {
  LONGEST_NAME,
  linkNameOf,
  listKioskTokens,
  makeKioskToken,
  NameTaken,
} from "../../access/kiosk_tokens.ts";
import { revokeToken } from "../../access/tokens.ts";
import { Problem } from "../../base/problem.ts";
import { afterShown } from "../fresh_tokens.ts";
import type { PageGround } from "../ground.ts";
import { withNotice } from "../keyboard.tsx";
import { confirmed } from "../kit/confirmed_form.tsx";
import { Form, type Refused, ShownOnce, TextField } from "../kit/field.tsx";
import { Code, Told } from "../kit/links.tsx";
import { Block, Empty, List } from "../kit/list.tsx";
import { mounted, own, typedInto, type Visit } from "../kit/route.ts";
import { paths } from "../paths.ts";
import { hostOf, type SignedIn, seeOther } from "../session.ts";
import { SettingsPage } from "../settings/settings.tsx";
import { type TokenRow, tokenColumns } from "../settings/token_list.tsx";

type LinksVisit = Visit<SignedIn, unknown, unknown, unknown, unknown>;

/** `/settings/wall`: add and revoke links to the Wall. */
export function kioskTokenRoutes(deps: PageGround) {
  const { post } = confirmed();
  return mounted(deps, [
    own.get(paths.kioskTokens, {}, (visit) => page(deps, visit)),
    post(paths.kioskTokens, {}, async (visit) => {
      const { name: typed } = typedInto(visit.form, { name: "" });
      const refused = (name: string) => page(deps, visit, { values: { name: typed }, errors: { name } });
      const name = linkNameOf(typed);
      if (name === undefined)
        return refused(`Use 1 to ${LONGEST_NAME} characters on one line, for example TV in the hall.`);
      try {
        await deps.freshTokens.issue(visit, { kind: "wall", name }, () =>
          makeKioskToken(deps, name, visit.by),
        );
      } catch (error) {
        if (error instanceof NameTaken)
          return refused("Another link has this name. Revoke that one, or choose another name.");
        throw error;
      }
      return seeOther(paths.kioskTokens);
    }),
    post(paths.revokeKioskToken, {}, async ({ params: { id }, by }) => {
      if (await revokeToken(deps.writer, deps.kioskTokens, id, by))
        return seeOther(withNotice(paths.kioskTokens, "wall-link-revoked"));
      throw new Problem("not-found", "No such link is in force. It may be revoked already.");
    }),
  ]);
}

function page(
  deps: PageGround,
  { request, who, now, page: answer }: LinksVisit,
  filled: { readonly values: { readonly name: string }; readonly errors: Refused } = {
    values: { name: "" },
    errors: {},
  },
): Response {
  const { store, kioskTokens, freshTokens, config } = deps;
  const transport = deps.sessions.transport(request);
  const asked = `${transport === "https" ? "https" : "http"}://${hostOf(request)}`;
  const base = config.tower.publicUrl ?? asked;
  // Only this computer reaches the address.
  const isOnlyHere = config.tower.publicUrl === undefined && transport === "loopback";
  const issued = freshTokens.list(who, ["wall"], now);
  const links = listKioskTokens(store.db).map((link) => ({
    id: link.id,
    name: link.name,
    issued: { at: link.createdAt, by: link.createdBy },
    lastUsedAt: kioskTokens.lastUse(link, link.lastUsedAt),
  }));
  return answer(
    <SettingsPage
      part={paths.kioskTokens}
      title="Kiosk links"
      note="A link opens the Wall on a screen without sign-in. It can read the Wall and nothing else."
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
            text={new URL(paths.wallOpenedBy(fresh.token), base).href}
            back={paths.kioskTokens}
            place={place}
          />
          {isOnlyHere ? (
            <p class="note">
              This address works on this computer only. For other screens, set <code>TOWER_PUBLIC_URL</code>.
            </p>
          ) : null}
        </>
      ))}
      <Block heading="Links" note="one for each screen">
        <List
          of="Links to the Wall"
          items={links}
          id={({ id }) => `link-${id}`}
          columns={[
            ["Screen", ({ name }) => <Told class="wrap">{name}</Told>],
            ["Id", ({ id }) => <Code>{id}</Code>],
            ...tokenColumns<TokenRow>({
              revokeAt: ({ id }) => paths.revokeKioskToken(id),
              what: "link",
              which: ({ id }) => id,
              consequence: "Its screen is signed out at the next refresh.",
            }),
          ]}
          empty={
            <Empty heading="No link yet">
              <p>
                You need one only where nobody signs in. <a href={paths.wall}>Open the Wall</a>
              </p>
            </Empty>
          }
        />
        <Form
          action={paths.kioskTokens}
          class="stack tight form"
          send="Add link"
          hidden={afterShown(issued[0])}
          isMinor
        >
          <h3>Add a link</h3>
          <TextField
            name="name"
            label="Screen"
            filled={filled}
            help="For example TV in the hall"
            maxlength={64}
            autocomplete="off"
            required
          />
        </Form>
      </Block>
      <Block heading="On the screen">
        <p>
          Make the link the start page of the screen's browser, and press F11 for full screen. A proxy in
          front logs the link: keep that log private. To the address you can add{" "}
          <code>group=&lt;name&gt;</code> for the sites of one group, and <code>theme=dark</code> or{" "}
          <code>light</code>.
        </p>
      </Block>
    </SettingsPage>,
    { status: filled.errors["name"] === undefined ? 200 : 422, noStore: issued.length > 0 },
  );
}
