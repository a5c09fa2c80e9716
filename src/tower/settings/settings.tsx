/**
 * `/settings`: what is still to set up, and the frame that all of its pages share.
 *
 * Rules: `constants.tsx` (the document), `calibration.tsx`, `tune.tsx` (one metric or rule, tried on stored days).
 * Credentials: `credentials.tsx`, `credential.tsx`, and `attachments.tsx` for the properties of sites.
 * `notices.tsx`, `calendars.tsx`, `panels.tsx`. Access: `operators.tsx`, `sessions.tsx`, `sign_in.tsx`, `tokens.tsx`, and
 * `sites/kiosk_tokens_page.tsx`. `audit.tsx`. Each holds its page and its routes; begin with `overviewRoutes`.
 */

import { countWords as countOf } from "../../base/text.ts";
import { listChannels } from "../../notices/channels.ts";
import { listCredentials } from "../../providers/credentials.ts";
import { listAttachments, listProperties } from "../../providers/properties.ts";
import { listTokens } from "../../sites/site_tokens.ts";
import type { PageGround } from "../ground.ts";
import type { Child } from "../jsx/jsx-runtime.ts";
import { Chips, Code, Go, HelpLink } from "../kit/links.tsx";
import { Block, List } from "../kit/list.tsx";
import { get, mounted } from "../kit/route.ts";
import { Tabs } from "../kit/site_state.tsx";
import { Callout } from "../kit/words.tsx";
import { Page } from "../layout.tsx";
import { paths } from "../paths.ts";
import { openProperties } from "./attach_rows.ts";

/** The metrics that can be tuned. */
export const TUNING = `${paths.calibration}#tuning`;

/** A page of a part: its address, what its link says, and what the manual says of it. */
type PartPage = readonly [href: string, words: string, help?: readonly [to: string, about: string]];

/** The parts in the order of their tabs, each with its pages; the tab leads to the first. */
const PARTS: readonly (readonly [words: string, first: PartPage, ...more: PartPage[]])[] = [
  [
    "Rules",
    [paths.constants, "Constants", [paths.helpAbout("rules", "thresholds"), "thresholds"]],
    [
      paths.calibration,
      "Calibration",
      [paths.helpAbout("rules", "what-the-rules-compare"), "what the rules compare"],
    ],
    [TUNING, "Tuning"],
  ],
  [
    "Credentials",
    [paths.credentials, "Credentials", [paths.helpPage("providers"), "connecting Google and Bing"]],
  ],
  ["Notices", [paths.notices, "Notices", [paths.helpAbout("operating", "notices"), "notices"]]],
  ["Calendars", [paths.calendars, "Calendars", [paths.helpAbout("providers", "calendars"), "calendars"]]],
  ["Panels", [paths.panels, "Panels", [paths.helpAbout("providers", "search-panels"), "search panels"]]],
  [
    "Access",
    [paths.operators, "Operators"],
    [paths.sessions, "Sessions"],
    [paths.tokens, "Tokens", [paths.helpAbout("sending", "tokens"), "tokens"]],
    [paths.kioskTokens, "Kiosk links"],
  ],
  ["Audit", [paths.audit, "Audit"]],
];

/** A page of the settings, under the tabs of the parts and the links to the other pages of its part. */
export function SettingsPage(props: {
  /** The address of the page it belongs to. */
  readonly part: string;
  readonly title: string;
  /** The heading, where it is more than the title's words. */
  readonly heading?: Child;
  /** The way to it below its part. */
  readonly crumb?: Child;
  readonly note?: Child;
  /** It is worked on, and never refreshes. */
  readonly still?: boolean;
  readonly children: Child;
}) {
  const { part, title, crumb, note } = props;
  const [words, ...pages] = PARTS.find(([, ...own]) => own.some(([href]) => href === part)) ?? [];
  const help = pages.find(([href]) => href === part)?.[2];
  return (
    <Page title={title} current="settings" still={props.still ?? false}>
      <div class="stack tight">
        {crumb === undefined ? null : <p class="crumb">{crumb}</p>}
        <h1>{props.heading ?? title}</h1>
        <Tabs
          label="Settings"
          tabs={PARTS.map(([name, [href]]) => ({ href, words: name, current: name === words }))}
        />
        {pages.length < 2 ? null : (
          <Chips
            label={words ?? ""}
            choices={pages.map(([href, name]) => ({ href, words: name, chosen: href === part }))}
          />
        )}
        {note === undefined ? null : <p class="note">{note}</p>}
        {help === undefined ? null : <HelpLink to={help[0]} about={help[1]} />}
      </div>
      {props.children}
    </Page>
  );
}

/** `/settings`: what is still to set up. */
export function overviewRoutes(deps: PageGround) {
  const { trustedAuthHeader, trustedProxySecret } = deps.config;
  // The header that names operators, without a proof that the proxy wrote it.
  const unproved = trustedProxySecret === undefined ? trustedAuthHeader : undefined;
  return mounted(deps, [
    get(paths.settings, {}, () => {
      const gaps = gapsOf(deps);
      return (
        <SettingsPage part={paths.settings} title="Settings">
          {unproved === undefined ? null : (
            <Callout tone="stale">
              <p>
                The reverse proxy names the operator in <code>{unproved}</code>. A proxy that forgets this
                header lets callers name themselves. Set <code>TRUSTED_PROXY_SECRET</code>, so that the proxy
                has to prove itself.
              </p>
            </Callout>
          )}
          <Block heading="To set up">
            <List
              of="To set up"
              items={gaps}
              empty={<p>Nothing is missing.</p>}
              columns={[
                ["Missing", ([missing]) => missing, { unseen: true }],
                [
                  "Action",
                  ([, to, words]) => <Go to={to} words={words} primary={gaps[0]?.[1] === to} />,
                  { class: "act", unseen: true },
                ],
              ]}
            />
          </Block>
          <p class="note">
            A site's own settings are on its Settings tab. Whole reports are kept in{" "}
            <Code>{deps.objects.where}</Code> (<code>RAW_SIGNALS</code>).
          </p>
        </SettingsPage>
      );
    }),
  ]);
}

/** What is missing, the most pressing first. */
function gapsOf({ db, constants, siteTokens }: PageGround) {
  const credentials = listCredentials(db);
  const open = openProperties({ properties: listProperties(db), attachments: listAttachments(db) });
  const senders = listTokens(db).length + siteTokens.named().length;
  const gaps: readonly (readonly [isMissing: boolean, words: string, to: string, act: string])[] = [
    [
      constants.problem !== undefined,
      "The constants file on disk is not in effect.",
      paths.constants,
      "Fix constants",
    ],
    [senders === 0, "No site sends reports: none has a token.", paths.newSite, "Add a site"],
    [
      credentials.length === 0,
      "No visitors and search clicks: no credential is stored.",
      paths.newCredential,
      "Add credential",
    ],
    [
      open > 0,
      `${countOf(open, "property has", "properties have")} no site.`,
      paths.attachments,
      "Attach properties",
    ],
    [listChannels(db).length === 0, "Nobody is notified of flags.", paths.newChannel, "Add channel"],
  ];
  return gaps.flatMap(([isMissing, ...gap]) => (isMissing ? [gap] : []));
}
