/** Stored data that is not as it was written: what it is, and what of a page can be shown all the same. */

import { DamagedRow } from "../db/mod.ts";
import { TOWER_COMMAND } from "../platform/command_word.ts";
import { Callout } from "./component/callout.tsx";
import { type SiteHead, SiteHeader, type SiteTab, siteTitle } from "./component/site_header.tsx";
import { Told } from "./component/text.tsx";
import type { Safe } from "./jsx/safe.ts";
import { Page } from "./layout.tsx";
import { paths } from "./paths.ts";
import type { Shell } from "./shell.ts";

/** What reading came to: a value, or which row is damaged. */
export type Read<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly damage: string };

/** Reads what may lie in a damaged row. */
export function readWhole<Value>(read: () => Value): Read<Value> {
  try {
    return { ok: true, value: read() };
  } catch (error) {
    if (error instanceof DamagedRow) return { ok: false, damage: error.message };
    throw error;
  }
}

/** The same of what is made of it. */
export function mapped<From, To>(read: Read<From>, make: (value: From) => To): Read<To> {
  return read.ok ? { ok: true, value: make(read.value) } : read;
}

/** What is made of two reads: the damage of the first that is damaged. */
export function both<One, Other, To>(
  one: Read<One>,
  other: Read<Other>,
  make: (one: One, other: Other) => To,
): Read<To> {
  if (!one.ok) return one;
  return other.ok ? { ok: true, value: make(one.value, other.value) } : other;
}

/** Says that something of a page cannot be read, and what an operator does about it. */
export function DamageNote({ what, damage }: { readonly what: string; readonly damage: string }) {
  return (
    <Callout tone="failing" role="alert">
      <p>
        <b>{what} cannot be read.</b> Its stored data is damaged: <Told class="wrap">{damage}</Told>.
      </p>
      <p>
        <code>{TOWER_COMMAND} check</code> tells of all damage; a backup from before has it whole. Nothing
        that is shown elsewhere is made up for it.
      </p>
    </Callout>
  );
}

/** A page of a site; where what it needs is damaged, the damage under the site's own header, from which the rest is reached. */
export function wholeOrDamage(
  { shell, site, tab }: { readonly shell: Shell; readonly site: SiteHead; readonly tab: SiteTab },
  page: () => Safe,
): Safe {
  const read = readWhole(page);
  if (read.ok) return read.value;
  return (
    <Page shell={shell} title={siteTitle(site)} current="sites">
      <SiteHeader site={site} current={tab} />
      <DamageNote what="A report that this page shows" damage={read.damage} />
      <p>
        <a href={paths.reports(site.asset)}>All reports of this site</a> are listed; those that lie elsewhere
        open as ever.
      </p>
    </Page>
  );
}
