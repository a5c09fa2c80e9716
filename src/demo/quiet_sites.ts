/** The sites of the demo that are looked at for what they lack: a key that works, reports, size, a provider, a life. */

import {
  type DemoNote,
  type DemoSite,
  everywhere,
  FIRST_NIGHT,
  LEISURE_WEEK,
  PLACE_ASKS,
  phrases,
  READ_ASKS,
  SHOP_ASKS,
  SHOP_WEEK,
  WORK_WEEK,
} from "./site.ts";
import { STRIKING_SITES } from "./striking_sites.ts";

const QUIET_SITES: readonly DemoSite[] = [
  {
    id: "cedar-and-slate.example",
    phrases: phrases(
      "slate roof, cedar cladding, kitchen worktop, garden wall, stone floor, roof repair",
      SHOP_ASKS,
    ),
    group: "Hearth & Co.",
    lifecycle: "live",
    visitors: 300,
    week: WORK_WEEK,
    yearly: 1,
    // After its key was replaced no newer day comes: what the last ones had of chance would stay flagged.
    dispersion: 0.3,
    reports: { from: FIRST_NIGHT, minute: 160 },
    metrics: [
      { name: "enquiries", perVisitor: 0.05, before: 7_700 },
      { name: "brochures", perVisitor: 0.03 },
    ],
    families: ["enquiries=d1"],
    releases: 17,
    // Its own account, whose key was replaced without telling the Tower.
    account: "archive",
    analytics: { property: "300410008", timeZone: "Europe/London", account: "412" },
    searchConsole: { property: "sc-domain:cedar-and-slate.example" },
  },
  {
    id: "saltmarsh-ferries.example",
    phrases: phrases(
      "island ferry, car ferry, ferry tickets, night crossing, ferry with dog, harbour cruise",
      PLACE_ASKS,
    ),
    group: "Tidewater Group",
    lifecycle: "live",
    visitors: 700,
    week: LEISURE_WEEK,
    yearly: 1.05,
    // Its reports stopped; people sail as before, as analytics tells.
    reports: { from: FIRST_NIGHT, to: -9, minute: 165 },
    metrics: [
      { name: "tickets", perVisitor: 0.11, before: 310_500 },
      { name: "refunds", perVisitor: 0.003 },
    ],
    families: ["tickets=d1"],
    releases: 10,
    notes: [[-9, "21:48", "deploy", "2026.45.2", "Moved to another host"]],
    ...everywhere("saltmarsh-ferries.example", "300410009", "Europe/Dublin"),
  },
  {
    id: "meadow-bakery.example",
    phrases: phrases(
      "sourdough bread, birthday cake, rye bread, cinnamon rolls, wedding cake, gluten free bread",
      SHOP_ASKS,
    ),
    group: "Hearth & Co.",
    lifecycle: "live",
    visitors: 95,
    week: SHOP_WEEK,
    yearly: 1.1,
    revised: { from: -6, to: -4, factor: 1.17 },
    reports: { from: FIRST_NIGHT, minute: 170 },
    metrics: [
      { name: "orders", perVisitor: 0.08, before: 2_960 },
      { name: "cakes.designed", perVisitor: 0.02 },
    ],
    families: ["orders=kv"],
    releases: 30,
    code: {
      language: "JavaScript",
      lines: 4_300,
      weekly: [0, 25, 0, 15],
      testRatio: 0.22,
      duplication: 5.5,
      unused: 2,
      complex: 3,
    },
    ...everywhere("meadow-bakery.example", "300410010", "Europe/Amsterdam"),
  },
  {
    id: "the-museum-of-forgotten-postcards-and-other-small-paper-things.example",
    phrases: phrases(
      "old postcards, paper museum, matchbox labels, tickets collection, vintage stamps, paper dolls",
      READ_ASKS,
    ),
    lifecycle: "live",
    visitors: 34,
    week: LEISURE_WEEK,
    yearly: 1,
    dispersion: 2,
    reports: { from: FIRST_NIGHT, minute: 175 },
    metrics: [
      { name: "postcards.of.the.permanent.collection.viewed.in.full.size", perVisitor: 1.6, before: 57_000 },
      // So few that no window can tell anything.
      { name: "donations", perVisitor: 0.004 },
    ],
    families: ["donations=d1"],
    ...everywhere(
      "the-museum-of-forgotten-postcards-and-other-small-paper-things.example",
      "300410011",
      "Asia/Tokyo",
    ),
  },
  {
    id: "fernhill-garden.example",
    group: "Hearth & Co.",
    lifecycle: "live",
    visitors: 150,
    week: LEISURE_WEEK,
    yearly: 1.25,
    reports: { from: FIRST_NIGHT, minute: 180 },
    metrics: [
      { name: "visits.booked", perVisitor: 0.07, before: 4_410 },
      { name: "plants.reserved", perVisitor: 0.04 },
    ],
    families: ["visits=d1"],
    releases: 25,
    code: {
      language: "Ruby",
      lines: 6_100,
      weekly: [10, 5, 0, 20],
      testRatio: 0.55,
      duplication: 3.8,
      unused: 0,
      complex: 1,
    },
  },
  {
    id: "lantern-festival.example",
    phrases: phrases(
      "lantern festival, lantern workshop, festival tickets, night parade, river lanterns, food stalls",
      PLACE_ASKS,
    ),
    lifecycle: "pre-launch",
    visitors: 14,
    week: LEISURE_WEEK,
    yearly: 2,
    dispersion: 2,
    metrics: [],
    searchConsole: { property: "sc-domain:lantern-festival.example" },
    webmasterTools: { property: "https://lantern-festival.example/", crawlIssues: [] },
  },
  {
    id: "oldmill-archive.example",
    lifecycle: "retired",
    visitors: 60,
    week: WORK_WEEK,
    yearly: 0.7,
    reports: { from: FIRST_NIGHT, to: -52, minute: 185 },
    metrics: [{ name: "documents.read", perVisitor: 1.9, before: 220_000 }],
    families: ["documents=r2"],
    notes: [[-52, "12:00", "config", "taken offline", "Its documents moved to the library"]],
  },
];

/** The invented sites of the demo, each with a story that its reports, its providers and its timeline tell alike. */

export const PORTFOLIO: readonly DemoSite[] = [...STRIKING_SITES, ...QUIET_SITES];

/** What happened to every site. */
export const EVERYWHERE: readonly DemoNote[] = [
  [-8, "06:00", "external", "search ranking update", "Announced by the search engine; two weeks to roll out"],
  [-34, "10:00", "model-change", "reviewer 4 to 5", "The model that reviews changes"],
  [-71, "10:00", "model-change", "builder 7 to 8", "The model that writes changes"],
];
