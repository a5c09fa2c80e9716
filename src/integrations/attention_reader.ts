/** Reads what the ranking is made of, keeps the result while nothing is written, and answers `GET /api/attention`. */

import { Elysia } from "elysia";
import { READ_REFUSALS } from "../access/access.ts";
import {
  assetId,
  count,
  type Endpoint,
  instant,
  list,
  object,
  orNull,
  ref,
  text,
} from "../base/api_description.ts";
import type { Clock } from "../base/base.ts";
import { ListQuery, ofSite, oneOf, page, pageAnswer, QUERY_REFUSALS } from "../base/query.ts";
import { formatInstant } from "../base/time.ts";
import { SEVERITIES } from "../flags/flags.ts";
import { listInbox } from "../flags/inbox.ts";
import { listCredentials } from "../providers/credentials.ts";
import { chanceMarks, withinChance } from "../rules/verdicts.ts";
import type { ConstantsInEffect } from "../sites/constants_document.ts";
import { type ConstantsStore, weightOf } from "../sites/constants_store.ts";
import type { Core } from "../store/core.ts";
import type { Db } from "../store/store.ts";
import { changeMark, isSame, type TableVersions, VersionedTables } from "../store/table_versions.ts";
import { ACTS, causesOf, type Entry, type Facts, type Health, ranked } from "./attention.ts";
import type { HealthView } from "./integrations.ts";
import type { HealthReader } from "./reader.ts";

/**
 * More open flags than these are not ranked: the mildest and oldest are left out. Twice the largest portfolio, each site of which may be
 * silent at once: what is left out is not counted as in need either.
 */
const MOST_FLAGS = 20_000;
/** After so long the ranking is made again although nothing was written: sentences and retries go by the clock. */
const KEPT_MS = 60_000;

interface AttentionDeps extends Core {
  readonly constants: Pick<ConstantsStore, "current">;
}

/** How integrations are, with the id of the account that has each connection revision; none where they cannot be read. */
export function healthWithAccounts(db: Db, view: HealthView): Health {
  try {
    const accounts = listCredentials(db).map(
      ({ connectionRevision, id }) => [connectionRevision, id] as const,
    );
    return { view, accounts: new Map(accounts) };
  } catch {
    // Causes are grouped by their connection then; the coverage of the view says what could not be read.
    return { view, accounts: new Map() };
  }
}

/** The open flags that lie within what chance gives. */
export const unsureIn = (db: Db): ReadonlySet<string> =>
  new Set(withinChance(chanceMarks(db, undefined, true)));

/** What flags, and how likely chance gives them, are read from: a series is tested for the first time with a tally of its day. */
const TABLES = ["flag", "flow_tally"];

/** The ranking of a moment, with what it was made of. */
interface Kept extends Pick<Facts, "flags" | "unsure"> {
  readonly mark: string;
  readonly versions: TableVersions | undefined;
  readonly view: HealthView;
  /** The targets of each cause. */
  readonly failing: readonly (readonly unknown[])[];
  readonly constants: ConstantsInEffect;
  /** When its flags were read. */
  readonly at: number;
  readonly entries: readonly Entry[];
}

/** The ranking as of a moment, worked out once for all that show it; its flags are read again where one was written. */
export class AttentionReader {
  readonly #deps: AttentionDeps;
  readonly #tables: VersionedTables;
  #kept: Kept | undefined;

  constructor(deps: AttentionDeps) {
    this.#deps = deps;
    this.#tables = new VersionedTables(deps.store, TABLES);
  }

  read(now: number, view: HealthView): readonly Entry[] {
    const { db } = this.#deps.store;
    const [mark, constants, last] = [changeMark(db), this.#deps.constants.current(), this.#kept];
    const kept = last !== undefined && now >= last.at && now - last.at < KEPT_MS ? last : undefined;
    if (kept?.mark === mark && kept.view === view) return kept.entries;
    const versions = this.#tables.versions();
    const { flags, unsure, at } =
      kept !== undefined && isSame(kept.versions, versions, TABLES)
        ? kept
        : {
            flags: listInbox(db, { status: "open" }, { limit: MOST_FLAGS, offset: 0, now }),
            unsure: unsureIn(db),
            at: now,
          };
    const causes = causesOf(healthWithAccounts(db, view), now);
    const failing = causes.map(({ key, isTold, all }) => [key, isTold, ...all.map(({ target }) => target)]);
    // Most of what is written to health is that something works as it did.
    const isKept =
      kept?.flags === flags && kept.constants === constants && Bun.deepEquals(kept.failing, failing);
    const entries = isKept
      ? kept.entries
      : ranked({ flags, unsure, causes, weightOf: (asset) => weightOf(constants.constants, asset), now });
    this.#kept = { mark, versions, view, flags, unsure, failing, constants, at, entries };
    return entries;
  }
}

export const READ_ATTENTION = {
  id: "listAttention",
  tag: "Reading",
  method: "GET",
  path: "/api/attention",
  listeners: ["tower"],
  summary: "List what needs attention",
  description:
    "The ranking that every page shows, most urgent first, one entry for each cause: open flags of one site and day, or one trouble of integrations with all sites and data sources that it hits. What Tower tries again by itself has `acts` `waits`.",
  open: "reader",
  filters: {
    asset: ofSite("Entries about one site."),
    severity: oneOf(SEVERITIES, "Entries of one severity."),
    acts: oneOf(ACTS, "Whether a person must act."),
  },
  answers: {
    200: {
      description: "A page of the ranking.",
      shape: page(ref("Attention")),
      example: {
        items: [
          {
            rank: 1,
            cause: "flags shop.example 2026-11-22",
            severity: "warn",
            acts: "person",
            title: "Bookings down 74% (29, normally about 112), third day in a row",
            since: "2026-11-20T02:17:03.611Z",
            assets: ["shop.example"],
            flags: ["b1e8a7c2-51d4-4f0e-8a3b-7c6d5e4f3a21"],
            targets: [],
            action: { text: "Review the flag.", href: "/flags/b1e8a7c2-51d4-4f0e-8a3b-7c6d5e4f3a21" },
          },
        ],
        next: null,
      },
    },
  },
  shapes: {
    Attention: object({
      rank: { ...count, description: "Its place among all, from 1." },
      cause: { ...text, description: "The same for as long as it may be the same trouble." },
      severity: { type: "string", enum: SEVERITIES },
      acts: { type: "string", enum: ACTS },
      title: text,
      since: orNull(instant),
      assets: list(assetId),
      flags: list(text, MOST_FLAGS),
      targets: { ...list(text), description: "Opaque targets of the health payload." },
      action: object({ text, href: text }),
    }),
  },
  refuses: [...READ_REFUSALS, ...QUERY_REFUSALS],
} as const satisfies Endpoint;

/** What is told of an entry, in this order. */
const TOLD = [
  ...["rank", "cause", "severity", "acts", "title", "since", "assets", "flags", "targets"],
  ...["action", "text", "href"],
];

interface AttentionReadDeps {
  readonly clock: Clock;
  readonly health: Pick<HealthReader, "read">;
  readonly attention: Pick<AttentionReader, "read">;
  readonly authorizeRead: (request: Request) => unknown;
}

/** `GET /api/attention`. */
export function attentionReads({ clock, health, attention, authorizeRead }: AttentionReadDeps) {
  return new Elysia().get(READ_ATTENTION.path, ({ request }) => {
    authorizeRead(request);
    const query = new ListQuery(request, READ_ATTENTION.filters);
    const [asset, severity, acts] = [query.value("asset"), query.value("severity"), query.value("acts")];
    const [after] = query.cursor(["number"] as const) ?? [0];
    const now = clock.now();
    const items = attention
      .read(now, health.read(now))
      .map((entry, place) => ({ ...entry, rank: place + 1 }))
      .filter(
        (one) =>
          one.rank > after &&
          (asset === undefined || one.assets.includes(asset)) &&
          (severity === undefined || one.severity === severity) &&
          (acts === undefined || one.acts === acts),
      );
    return pageAnswer(items, {
      query,
      toText: (row) =>
        JSON.stringify({ ...row, since: row.since === null ? null : formatInstant(row.since) }, TOLD),
      cursorOf: ({ rank }) => [rank],
    });
  });
}
