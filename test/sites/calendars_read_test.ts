import { afterAll, describe, expect, test } from "bun:test";
import { listNewest as listAudit } from "../../src/access/audit.ts";
import type { Outcome } from "../../src/app/command.ts";
import { JOBS, runJob } from "../../src/app/schedule.ts";
import { listCalendars } from "../../src/sites/calendars.ts";
import { updateAsset } from "../../src/sites/sites.ts";
import { run } from "../app/run.ts";
import { calendarOf, type EventText } from "../support/calendars.ts";
import { FakeClock } from "../support/clock.ts";
import { openFolder } from "../support/data_folder.ts";
import { testGround } from "../support/deps.ts";
import { temporaryFolder } from "../support/folder.ts";
import { fresh } from "../support/fresh.ts";
import { PROXY, testTower } from "../support/test_tower.ts";

const HOUR_MS = 3_600_000;
const SECRET = "private-7f3a";

/** What the calendar's server answers next. */
let answer: () => Response | Promise<Response>;
let asked = 0;
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: ({ url }) => {
    asked++;
    if (url.endsWith("/elsewhere.ics")) return new Response(calendarOf());
    return answer();
  },
});
afterAll(() => server.stop(true));

const HOST = `127.0.0.1:${server.port}`;
const ADDRESS = `http://${HOST}/${SECRET}/events.ics`;

const service = fresh(async () => {
  const tower = await testTower({
    ground: { ...(await testGround()), clock: new FakeClock("2026-10-20T12:00:00Z") },
    settings: { ...PROXY, OUTBOUND_ALLOWED_HOSTS: HOST },
  });
  answer = () => new Response(calendarOf());
  asked = 0;
  return Object.assign(tower, { clock: tower.deps.clock });
});
const serve = (...events: readonly EventText[]) => {
  answer = () => new Response(calendarOf(...events), { headers: { "content-type": "text/calendar" } });
};

const command = (words: string, file?: string): Promise<Outcome> =>
  run(service, file === undefined ? words : `${words} --file -`, undefined, file);

/** The job as somebody asks for it, or as the schedule does. */
async function read(by: "command" | "schedule" = "command") {
  const job = JOBS.find(({ name }) => name === "calendars");
  if (job === undefined) throw new Error("there is no job calendars");
  return runJob(service.deps, job, by);
}

interface Annotation {
  readonly asset: string;
  readonly at: string;
  readonly kind: string;
  readonly ref: string;
  readonly note: string | null;
  readonly postedBy: string;
  readonly struck?: { readonly by: string };
}

const told = async () =>
  ((await (await service.ask("/api/annotations?limit=500")).json()) as { items: Annotation[] }).items;
const standing = async () =>
  (await told()).filter(({ struck }) => struck === undefined).map(({ ref }) => ref);

async function target() {
  const response = await service.ask("/api/integrations/health");
  const payload = (await response.json()) as {
    readonly capabilities: readonly { readonly capability: string; readonly targets: readonly unknown[] }[];
  };
  return payload.capabilities.find(({ capability }) => capability === "calendars.read")?.targets[0];
}

describe("reading a calendar", () => {
  test("what came is an annotation of the site, what is to come is upcoming, and reading again changes nothing", async () => {
    serve({ uid: "past", start: "20261019T100000Z" }, { uid: "soon", start: "20261021T100000Z" });
    const added = await command("calendar add shop --asset harbor", `${ADDRESS}\n`);
    expect(JSON.parse(added.stdout)).toEqual({
      id: expect.any(String),
      connection_revision: expect.any(String),
    });
    expect(await read()).toMatchObject({ outcome: "done", reports: { changed: 1 } });
    expect(await told()).toMatchSnapshot();
    const page = await (await service.ask("/settings/calendars")).text();
    expect(page).toContain("soon");
    expect(page).not.toContain(SECRET);
    expect(await read()).toMatchObject({ reports: { unchanged: 1 } });
    expect(await told()).toHaveLength(1);
    expect(await target()).toMatchObject({ asset: "harbor", state: "working", category: null });
    expect(JSON.stringify(await target())).not.toContain("127.0.0.1");
    const retire = { lifecycle: "retired" } as const;
    await service.deps.writer.write((tx) => updateAsset(tx, "harbor", retire, service.clock.now()));
    expect(await target()).toBeUndefined();
    expect(await (await service.ask("/settings/calendars")).text()).toContain("Site is retired");
  });

  test("one for all sites stands on every timeline; what it told stays when it is removed, what was to come goes", async () => {
    serve({ uid: "past", start: "20261019T100000Z" }, { uid: "soon", start: "20261021T100000Z" });
    await command("calendar add news", ADDRESS);
    await read();
    expect(await (await service.ask("/settings/calendars")).text()).toContain("soon");
    expect(JSON.parse((await command("calendar list --json")).stdout)).toMatchObject([
      { name: "news", asset: "*", upcoming: 1, fails: null, last_read_at: "2026-10-20T12:00:00.000Z" },
    ]);
    expect((await command("calendar remove news")).exitCode).toBe(0);
    expect(await told()).toMatchObject([{ asset: "*", note: "past" }]);
    expect(await (await service.ask("/settings/calendars")).text()).not.toContain("soon");
    expect((await command("calendar remove news")).stderr).toBe("there is no calendar news");
    const audit = await (await service.ask("/settings/audit")).text();
    expect(audit).toContain("calendar.remove");
    const [removed] = listAudit(service.deps.store.db, { limit: 1 });
    expect([removed?.act, JSON.parse(removed?.detail ?? "{}").asset]).toEqual(["calendar.remove", "*"]);
    expect(audit).not.toContain(SECRET);
  });

  test.each([
    ["its server fails", () => new Response("no", { status: 500 }), "provider_error"],
    ["its server refuses", () => new Response("no", { status: 403 }), "access"],
    ["its server does not know it", () => new Response("no", { status: 404 }), "configuration"],
    ["its server leads elsewhere", () => Response.redirect(`http://${HOST}/elsewhere.ics`), "configuration"],
    ["a page comes", () => new Response("<!doctype html><title>Sign in</title>"), "invalid_report"],
    ["it is cut", () => new Response("BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\n"), "invalid_report"],
    ["it is huge", () => new Response(`BEGIN:VCALENDAR\r\n${"X".repeat(11_000_000)}`), "invalid_report"],
  ])(
    "while %s what was told stays, what was to come comes, and its health says why",
    async (_, fails, category) => {
      serve({ uid: "past", start: "20261019T100000Z" }, { uid: "soon", start: "20261020T123000Z" });
      await command("calendar add shop", ADDRESS);
      await read();
      service.clock.advance(HOUR_MS);
      answer = fails;
      expect(await read("schedule")).toMatchObject({ outcome: "failed", reports: { failed: 1 } });
      expect(await standing()).toEqual([
        "calendar:shop:soon:2026-10-20T12:30:00.000Z",
        "calendar:shop:past:2026-10-19T10:00:00.000Z",
      ]);
      expect(await target()).toMatchObject({ asset: null, state: "failing", category });
      const page = await (await service.ask("/integrations")).text();
      expect(page).toContain(">shop<");
      expect(page + (await (await service.ask("/settings/calendars")).text())).not.toContain(SECRET);
    },
  );

  test("a rule that never ends is given up, and keeps neither the service nor the rest of the calendar", async () => {
    serve(
      { uid: "hostile", start: "20000101T000000Z", rule: "FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30" },
      { uid: "never" },
      { uid: "past", start: "20261019T100000Z" },
    );
    await command("calendar add shop", ADDRESS);
    let turns = 0;
    const timer = setInterval(() => turns++, 5);
    expect(await read()).toMatchObject({ outcome: "done" });
    clearInterval(timer);
    expect(turns).toBeGreaterThan(5);
    expect(await standing()).toEqual(["calendar:shop:past:2026-10-19T10:00:00.000Z"]);
    expect(await (await service.ask("/settings/calendars")).text()).toContain(
      ">0 events. 1 event left out: it has no start. 1 event left out: it repeats too often.<",
    );
  });

  test("a calendar is asked once an hour, at once by a person, and not at all while it is paused", async () => {
    await command("calendar add shop", ADDRESS);
    for (let quarter = 0; quarter < 8; quarter++) {
      await read("schedule");
      service.clock.advance(HOUR_MS / 4);
    }
    expect(asked).toBe(2);
    await read();
    expect(asked).toBe(3);
    await service.ask("/integrations/pauses", {
      form: { capability: "calendars.read", for: "1", to: "/integrations" },
    });
    expect(await read()).toMatchObject({ outcome: "done", reports: { paused: 1 } });
    expect(asked).toBe(3);
  });

  test("what comes is told at its moment, also while its calendar is paused", async () => {
    serve({ uid: "next", start: "20261020T130000Z" }, { uid: "later", start: "20261020T130001Z" });
    await command("calendar add shop", ADDRESS);
    await read();
    await service.ask("/integrations/pauses", {
      form: { capability: "calendars.read", for: "1", to: "/integrations" },
    });
    service.clock.advance(HOUR_MS);
    await read();
    expect(await standing()).toEqual(["calendar:shop:next:2026-10-20T13:00:00.000Z"]);
    const [known] = listCalendars(service.deps.store.db);
    expect(known?.coming.map(({ uid }) => uid)).toEqual(["later"]);
  });

  test("without two hours' reads it is stale", async () => {
    service.clock.advance(1);
    await command("calendar add shop", ADDRESS);
    expect(await target()).toMatchObject({ state: "never_run" });
    expect(service.deps.health.read(service.clock.now()).observedAt).toBe(service.clock.now());
    await read();
    service.clock.advance(2 * HOUR_MS);
    expect(await target()).toMatchObject({ state: "working" });
    service.clock.advance(HOUR_MS);
    expect(await target()).toMatchObject({ state: "stale" });
  });
});

describe("adding a calendar", () => {
  test.each([
    ["shop", "", "address: must be an https address, for example https://calendar.example/sales.ics"],
    ["shop", "http://calendar.example/a.ics", "address: must be https"],
    ["shop --asset habor", "https://calendar.example/a.ics", "asset: is no site of the portfolio"],
  ])("%s with %j is refused by field and rule, without the address", async (words, address, rule) => {
    const { exitCode, stderr } = await command(`calendar add ${words}`, address);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(rule);
    expect(stderr).not.toContain("a.ics");
    expect((await command("calendar list --json")).stdout.trim()).toBe("[]");
  });

  test("the page takes webcal, refuses at the field and never writes the address; a name is taken once", async () => {
    const fields = {
      name: "Public holidays",
      asset: "*",
      address: `webcal://calendar.example/${SECRET}.ics`,
    };
    const refused = await service.ask("/settings/calendars", {
      form: { ...fields, address: `ftp://x/${SECRET}` },
    });
    expect(refused.status).toBe(422);
    expect(await refused.text()).not.toContain(SECRET);
    expect((await service.ask("/settings/calendars", { form: fields })).status).toBe(303);
    expect((await service.ask("/settings/calendars", { form: fields })).status).toBe(422);
    const page = await (await service.ask("/settings/calendars")).text();
    expect(page).toContain("Public holidays");
    expect(page).not.toContain(SECRET);
    expect((await service.ask("/settings/calendars/Public%20holidays/removal", { form: {} })).status).toBe(
      303,
    );
    expect((await command("calendar list --json")).stdout.trim()).toBe("[]");
  });

  test("an address survives a change of the installation's key", async () => {
    using folder = temporaryFolder();
    const opened = await openFolder(folder.path, { OUTBOUND_ALLOWED_HOSTS: HOST });
    await run(opened, "calendar add shop --file -", undefined, ADDRESS);
    expect((await run(opened, "credentials-key rotate")).exitCode).toBe(0);
    expect((await run(opened, "job run calendars")).exitCode).toBe(0);
    opened.close();
  });
});
