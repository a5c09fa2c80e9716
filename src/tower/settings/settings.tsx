/**
 * The frame that all pages of the settings share.
 *
 * Rules: `constants.tsx` (the document), `calibration.tsx`, `tune.tsx` (one metric or rule, tried on stored days).
 * Credentials: `credentials.tsx`, `credential.tsx`, and `attachments.tsx` for the properties of sites.
 * `notices.tsx`, `calendars.tsx`, `panels.tsx`. Access: `operators.tsx`, `sessions.tsx`, `sign_in.tsx`, `tokens.tsx`, and
 * `sites/kiosk_tokens_page.tsx`. `audit.tsx`. Each holds its page and its routes; begin with `PARTS`.
 */

import type { PageGround } from "../ground.ts";
import type { Child } from "../jsx/jsx-runtime.ts";
import { Chips, HelpLink } from "../kit/links.tsx";
import { get, mounted } from "../kit/route.ts";
import { Tabs } from "../kit/site_state.tsx";
import { Page } from "../layout.tsx";
import { paths } from "../paths.ts";
import { seeOther } from "../session.ts";

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

/** `/settings` leads to the first of its pages. */
export function settingsRoutes(deps: PageGround) {
  return mounted(deps, [get(paths.settings, {}, () => seeOther(paths.constants))]);
}
