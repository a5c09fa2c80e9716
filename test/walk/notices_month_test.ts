import { expect, test } from "bun:test";
import { monthOfDemo } from "../notices/month.ts";

test("a month of the demo's sites is a digest a day and at most five messages on any; each site's trouble is told once", async () => {
  const rules = {
    quiet: { from: "22:00", to: "07:00" },
    zone: "Europe/Berlin",
    digest: "08:00",
    resolved: true,
  };
  const sent = await monthOfDemo(rules, { withProviders: false, everyMinutes: 120 });
  const days = Map.groupBy(sent, ({ at }) => new Date(at).toISOString().slice(0, 10));
  for (const [day, messages] of days) expect(`${day}: ${messages.length <= 5}`).toBe(`${day}: true`);
  expect(days.size).toBeGreaterThanOrEqual(30);
  const silent = sent.filter(({ notice }) =>
    notice.subject.startsWith("saltmarsh-ferries.example: no report for"),
  );
  expect(silent).toHaveLength(1);
  const hotels = sent.filter(({ notice }) => notice.subject.startsWith("northlight-hotels.example: "));
  expect(hotels).toHaveLength(1);
  for (const news of ["Bookings down", "errors.5xx"]) expect(hotels[0]?.notice.text).toContain(news);
});
