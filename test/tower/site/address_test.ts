/** The addresses of a site's pages. */

import { expect, test } from "bun:test";
import fc from "fast-check";
import { addDays, type UtcDay } from "../../../src/base/time.ts";
import { SERIES_SOURCES } from "../../../src/flags/flags.ts";
import { metricAddress, metricHref, SORTS, siteAddress, siteHref } from "../../../src/tower/site/lanes.ts";
import { logAddress, logHref } from "../../../src/tower/site/reports_page.tsx";

test("addresses of a site come back from what they were made of", () => {
  const day = fc.integer({ min: 0, max: 3_000 }).map((back) => addDays("2026-11-20" as UtcDay, -back));
  const query = fc.record({
    range: fc.constantFrom(7 as const, 28 as const, 90 as const, 365 as const),
    from: fc.option(day),
    to: fc.option(day),
    source: fc.constantFrom(...SERIES_SOURCES),
    metric: fc.option(fc.string({ minLength: 1, maxLength: 200 })),
    q: fc.string({ maxLength: 50 }).map((text) => text.trim()),
    sort: fc.constantFrom("", ...SORTS, ...SORTS.map((sort) => `-${sort}`)),
    page: fc.integer({ min: 1, max: 99 }),
  });
  const params = (href: string) => new URL(href, "http://localhost").searchParams;
  fc.assert(
    fc.property(query, (held) => {
      expect(siteAddress.read(params(siteHref("harbor", held)))).toEqual(held);
      expect(metricAddress.read(params(metricHref("harbor", held)))).toEqual(held);
    }),
  );
  const kind = fc.constantFrom(null, "nightly" as const, "codebase" as const);
  const log = fc.record({ kind, page: fc.integer({ min: 1, max: 99 }) });
  fc.assert(
    fc.property(log, (held) => {
      expect(logAddress.read(params(logHref("harbor", held)))).toEqual(held);
    }),
  );
});
