/** The matrix: which sites and capabilities one page shows. */

import { describe, expect, test } from "bun:test";
import { type IntegrationsQuery, integrationsAddress } from "../../../src/tower/integrations/coverage.tsx";
import { matrixOf } from "../../../src/tower/integrations/matrix.tsx";
import { healthCapability, healthFixture, healthTarget } from "../../support/health.ts";

const MANY = 120;
const name = (place: number) => `s${String(place).padStart(3, "0")}.example`;

/** Sites of which every tenth fails at analytics; every other one has no codebase reports. */
function manySites(count: number) {
  const sites = Array.from({ length: count }, (_, place) => place);
  return healthFixture({
    capabilities: [
      healthCapability({
        capability: "ingest.codebase",
        targets: sites
          .filter((place) => place % 2 === 0)
          .map((place) => healthTarget({ asset: name(place) })),
      }),
      healthCapability({
        capability: "analytics.daily",
        targets: sites.map((place) =>
          healthTarget({ asset: name(place), state: place % 10 === 0 ? "failing" : "working" }),
        ),
      }),
      healthCapability({
        capability: "analytics.connection-test",
        kind: "connection_test",
        targets: [healthTarget({ asset: "", state: "failing" })],
      }),
    ],
  });
}

function shown(count: number, query: Partial<IntegrationsQuery> = {}) {
  const view = manySites(count);
  return matrixOf(view, view.sites, { ...integrationsAddress.usual, ...query });
}

describe("the matrix", () => {
  test("has a column for what is read or sent for sites, and none for checks of an account", () => {
    expect(shown(3).columns.map(({ capability }) => capability)).toEqual([
      "ingest.codebase",
      "analytics.daily",
    ]);
  });

  test("shows the worst site first, and leaves a cell open where a capability is not set up", () => {
    const { rows } = shown(4);
    expect(rows.map(({ asset, cells }) => [asset, ...cells.map((cell) => cell?.state)])).toEqual([
      [name(0), "working", "failing"],
      [name(1), undefined, "working"],
      [name(2), "working", "working"],
      [name(3), undefined, "working"],
    ]);
  });

  test("shows the worst target of a site that has several of a capability", () => {
    const states = ["working", "failing", "stale"] as const;
    const targets = states.map((state) => healthTarget({ asset: "one.example", state }));
    const view = healthFixture({
      capabilities: [healthCapability({ capability: "analytics.daily", targets })],
    });
    const { rows } = matrixOf(view, view.sites, integrationsAddress.usual);
    expect(rows.map(({ cells }) => cells.map((cell) => cell?.state))).toEqual([["failing"]]);
  });

  test("shows many sites in pages, the worst first", () => {
    expect(shown(50).rows).toHaveLength(50);
    const many = shown(MANY, { page: 2 });
    expect([many.rows.length, many.paging.total, many.paging.pages]).toEqual([50, MANY, 3]);
    expect(
      shown(MANY)
        .rows.slice(0, 13)
        .map(({ health }) => health.state),
    ).toEqual([...Array.from({ length: 12 }, () => "failing" as const), "working"]);
  });

  test("is narrowed to a state, a capability, both in one cell, and a part of a name", () => {
    const total = (query: Partial<IntegrationsQuery>) => shown(MANY, query).paging.total;
    expect(total({ state: "failing" })).toBe(12);
    expect(total({ state: "working", capability: "analytics.daily" })).toBe(108);
    expect(total({ state: "failing", capability: "ingest.codebase" })).toBe(0);
    expect(total({ q: "S11" })).toBe(10);
  });
});
