/** What is set up and stored as plain rows: what a test does not name has none. */

import type { BySite, KnownParts, PartName, Parts } from "../../src/integrations/inventory.ts";

/** The rows of each part; one that could not be read is undefined. */
export type Rows = {
  readonly [Name in PartName]?:
    | (Name extends "archive"
        ? Parts[Name]
        : Parts[Name] extends BySite<infer Row>
          ? readonly Row[]
          : Parts[Name])
    | undefined;
};

const bySite = <Row extends { readonly asset: string }>(rows: readonly Row[] | undefined) =>
  rows && Map.groupBy(rows, ({ asset }) => asset);

/** The parts of an inventory with these rows. */
export function partsOf(rows: Rows): KnownParts {
  const none = [] as const;
  const given = {
    ...{ sites: none, attachments: none, detachments: none, accounts: none, listed: none, panels: none },
    ...{ pauses: none, questions: none, senders: none, calendars: none, channels: none, nights: none },
    ...{ codebase: none, refused: none, states: none, attempts: none, archive: new Map(), monitoring: none },
    ...rows,
  };
  return {
    ...given,
    attachments: bySite(given.attachments),
    detachments: bySite(given.detachments),
    panels: bySite(given.panels),
    questions: bySite(given.questions),
    nights: bySite(given.nights),
    codebase: bySite(given.codebase),
    refused: bySite(given.refused),
    states: given.states && Map.groupBy(given.states, ({ scope }) => scope.asset),
    attempts: bySite(given.attempts),
  };
}
