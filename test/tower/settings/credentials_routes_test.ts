/** Credentials in the Tower, over real HTTP to simulated providers: each act with its outcome, and no secret in any page. */

import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { startSimulators } from "../../../src/demo/simulator/simulators.ts";
import type { World } from "../../../src/demo/simulator/world.ts";
import { listAttachments } from "../../../src/providers/attachments.ts";
import { listCredentials } from "../../../src/providers/credentials.ts";
import { changeAsset, ensureAssets } from "../../../src/sites/site_changes.ts";
import { FakeClock } from "../../support/clock.ts";
import { shared } from "../../support/fresh.ts";
import { attribute, parsed, tagged } from "../../support/html.ts";
import { PROXY, type TestTower, testTower } from "../../support/test_tower.ts";
import { Walk } from "../../support/tower.ts";
import { until } from "../../support/until.ts";

const clock = new FakeClock("2026-11-20T12:00:00Z");
const siteOf = (name: string, property: string) => ({
  name,
  visitsPerDay: 40,
  firstDay: 20_000,
  analytics: { property, timeZone: "Europe/Paris" },
  searchConsole: { property: `sc-domain:${name}` },
  webmasterTools: { property: `https://${name}/` },
});
const WORLD: World = {
  sites: [siteOf("harbor.example", "1001"), siteOf("orchard.example", "1002")],
  accounts: [{ name: "tower" }, { name: "nobody", sites: [] }],
};
const NEW = "/settings/credentials/new";
const ATTACH = "/settings/credentials/attachments";

const simulators = shared(() => startSimulators({ now: () => clock.now(), seed: 7, world: WORLD }));

let tower: TestTower;
/** Everything that was answered: searched for secrets at the end. */
let answered: string;
beforeEach(async () => {
  simulators.calm();
  answered = "";
  tower = await testTower({ settings: { ...simulators.settings, ...PROXY }, ground: { clock } });
  await tower.deps.writer.write((tx): void => {
    ensureAssets(tx, ["harbor.example", "orchard.example"], { actor: "test", now: clock.now() });
  });
});
afterEach(() => tower.close());

async function ask(
  path: string,
  body?: URLSearchParams | FormData,
): Promise<{ status: number; to: string; text: string }> {
  const response = await tower.ask(path, {
    headers: { accept: "text/html" },
    ...(body === undefined ? {} : { form: body }),
  });
  const text = await response.text();
  answered += text;
  return { status: response.status, to: response.headers.get("location") ?? "", text };
}
const send = (path: string, fields: Readonly<Record<string, string>> = {}) =>
  ask(path, new URLSearchParams(fields));

/** A form in parts, with the key file of an account. */
function googleForm(account = "tower", fields: Readonly<Record<string, string>> = {}): FormData {
  const form = new FormData();
  form.set("kind", "google-service-account");
  for (const provider of ["analytics", "search-console"]) form.append("providers", provider);
  form.set(
    "file",
    new File([simulators.serviceAccount({ account })], "key.json", { type: "application/json" }),
  );
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return form;
}

async function stored(account = "tower"): Promise<string> {
  const { to } = await ask(NEW, googleForm(account));
  return `${to.split("?")[0]}`;
}

/** What of a page a person reads. */
const words = (text: string) =>
  text
    .replace(/<[^>]*>/g, " ")
    .replaceAll("&#x27;", "'")
    .replace(/\s+/g, " ")
    .replaceAll(" :", ":");

describe("a credential", () => {
  test("is stored from a file for both providers at once, and is never tested until it is", async () => {
    const { status, to } = await ask(NEW, googleForm());
    expect([status, to]).toEqual([
      303,
      expect.stringMatching(/^\/settings\/credentials\/[^/]+\?done=credential-added$/),
    ]);
    const [credential] = listCredentials(tower.deps.store.db);
    expect(credential?.providers).toEqual(["analytics", "search-console"]);
    const page = words((await ask(to)).text);
    expect(page).toContain("Saving doesn't check a credential. Use Test.");
    expect(page).toMatch(/Analytics: Never tested .*Search console: Never tested/);
    expect(page).not.toMatch(/Working|usable, /);
  });

  test("a test says what each provider answered; discovery lists what may be attached", async () => {
    const path = await stored();
    expect((await send(`${path}/test`)).to).toBe(path);
    const page = words((await ask(path)).text);
    expect(page).toContain("Connection test");
    expect(page).toContain("Analytics: usable, 2 of 2 properties can be attached.");
    await send(`${path}/discovery`);
    expect(words((await ask(path)).text)).toMatch(/harbor\.example .*orchard\.example/);
    expect(words((await ask("/settings/credentials")).text)).toContain("Analytics: usable ( 20 Nov 12:00 )");
  });

  test("that is let in and sees nothing, or is refused, says so with what is most likely wrong", async () => {
    const path = await stored("nobody");
    await send(`${path}/test`);
    const page = words((await ask(path)).text);
    expect(page).toContain("The account may see no property that can be used.");
    expect(page).toContain("client_email");
    // That a list came does not make it one of use.
    await send(`${path}/discovery`);
    const listed = words((await ask(path)).text);
    expect(listed).toContain(
      "Find properties , 20 Nov 12:00 Analytics: The account may see no property that can be used.",
    );
    expect(listed).not.toContain(": usable,");
    simulators.script({ kind: "error", error: "service-disabled" }, { server: "analyticsAdmin" });
    const works = await stored();
    await send(`${works}/test`);
    const refused = words((await ask(works)).text);
    expect(refused).toContain("The provider's API is not enabled for the account's project.");
    expect(refused).toContain("Search console: usable");
    expect(words((await ask("/settings/credentials")).text)).toContain("Analytics: refused ( 20 Nov 12:00 )");
  });

  test("says why it was refused in the same words after a restart", async () => {
    const path = await stored();
    simulators.script({ kind: "error", error: "service-disabled" }, { server: "analyticsAdmin" });
    await send(`${path}/test`);
    const said = words((await ask(path)).text);
    const listed = words((await ask("/settings/credentials")).text);
    expect(listed).toContain(
      "refused ( 20 Nov 12:00 ). The provider's API is not enabled for the account's project.",
    );
    await tower.stop();
    const { store, writer } = tower.deps;
    tower = await testTower({
      settings: { ...simulators.settings, ...PROXY },
      ground: { clock, store, writer },
    });
    expect(words((await ask(path)).text)).toBe(said);
    expect(words((await ask("/settings/credentials")).text)).toBe(listed);
  });

  test("that is not asked, or not to its end, says so at once, and what was said before stays", async () => {
    const path = await stored();
    await send(`${path}/test`);
    simulators.script({ kind: "error", error: "rate-limit-403" }, { server: "analyticsAdmin" });
    clock.advance(1_000);
    await send(`${path}/test`);
    simulators.forget();
    const held = await send(`${path}/test`);
    expect(held.to).toBe(`${path}?done=check-held`);
    expect(simulators.log.filter(({ server }) => server === "analyticsAdmin")).toEqual([]);
    expect(words((await ask(held.to)).text)).toMatch(
      /limits requests for now\. .*asks to be asked less often/,
    );
    const two = await Promise.all([send(`${path}/discovery`), send(`${path}/discovery`)]);
    expect(two.map(({ to }) => to)).toContain(`${path}?done=check-busy`);
    expect(words((await ask(`${path}?done=check-busy`)).text)).toContain("Not tested: another account");
  });

  test("says the traps before anything is stored", async () => {
    const page = words((await ask(NEW)).text);
    expect(page).toContain("A new service account sees no property.");
    expect(page).toContain("are two properties");
    expect(page).toContain("The APIs of a new project are off.");
    expect(page).toContain("registered as custom dimensions");
    expect(page).toContain("A new key may be refused for about 30 minutes.");
  });

  test("a refused form says what is wrong at its field, stores nothing and repeats nothing of the secret", async () => {
    const broken = [
      [
        {
          kind: "google-service-account",
          providers: "analytics",
          secret: '{"type":"canary-authorized_user","client_email":"canary"}',
        },
        "service_account",
      ],
      [{ kind: "google-service-account", providers: "analytics", secret: "canary-no-json" }, "JSON"],
      [{ kind: "google-service-account", secret: "canary" }, "Choose at least one."],
      [{ kind: "google-service-account", providers: "analytics" }, "Choose the file, or paste its text."],
      [{ kind: "webmaster-tools-key", secret: "canary key" }, "key"],
      [{ kind: "webmaster-tools-key" }, "Give the key."],
      [
        { kind: "webmaster-tools-key", secret: "canary-0123456789", label: "me@canary.example" },
        "must not hold a mail address",
      ],
    ] as const;
    for (const [fields, says] of broken) {
      const { status, text } = await send(NEW, fields);
      expect(status).toBe(422);
      expect(words(text)).toContain("Couldn't save the credential.");
      expect(words(text)).toContain(says);
      expect(text.replaceAll("me@canary.example", "")).not.toContain("canary");
    }
    expect(listCredentials(tower.deps.store.db)).toEqual([]);
  });

  test("another key of a stored account is not taken silently; replacing begins another connection", async () => {
    const path = await stored();
    const before = listCredentials(tower.deps.store.db)[0];
    const form = new FormData();
    form.set("secret", simulators.serviceAccount({ account: "nobody" }));
    const { to } = await ask(`${path}/replacement`, form);
    expect(to).toBe(`${path}?done=secret-other`);
    const after = listCredentials(tower.deps.store.db)[0];
    expect(after?.connectionRevision).not.toBe(before?.connectionRevision);
    expect(words((await ask(to)).text)).toMatch(/Analytics: Never tested/);
  });

  test("is renamed without another connection, and removed with what hung on it", async () => {
    const path = await stored();
    const before = listCredentials(tower.deps.store.db)[0];
    expect((await send(`${path}/name`, { label: "Main account" })).to).toBe(
      `${path}?done=credential-renamed`,
    );
    // The name that it has already is nothing that was done.
    expect((await send(`${path}/name`, { label: "Main account" })).to).toBe(path);
    expect(listCredentials(tower.deps.store.db)[0]).toMatchObject({
      label: "Main account",
      connectionRevision: before?.connectionRevision ?? "",
      editRevision: (before?.editRevision ?? 0) + 1,
    });
    expect((await send(`${path}/name`, { label: "ada@example.org" })).status).toBe(422);
    const { to } = await send(`${path}/removal`);
    expect(words((await ask(to)).text)).toContain("Credential removed, its properties are detached.");
    expect((await ask(path)).status).toBe(404);
  });

  test("of Bing counts the sites that are found by their address, also before it is removed", async () => {
    await send(NEW, { kind: "webmaster-tools-key", secret: simulators.webmasterKey() });
    const by = { actor: "test", now: clock.now(), onRetired: () => {} };
    await changeAsset(tower.deps.writer, "harbor.example", { url: "https://harbor.example/" }, by);
    await send("/integrations/jobs/webmaster-tools/runs");
    const [credential] = listCredentials(tower.deps.store.db);
    const { seen } = await until(
      async () => words((await ask(`/settings/credentials/${credential?.id}`)).text),
      (page) => page.includes("no longer read"),
    );
    expect(seen).toContain("Its secret is deleted and 1 site is no longer read with it. Stored data stays.");
  });

  test("no page has shown a key, a private key or an account's address", async () => {
    const path = await stored();
    await send(`${path}/test`);
    await send(NEW, { kind: "webmaster-tools-key", secret: simulators.webmasterKey() });
    for (const page of ["/settings/credentials", path, NEW, ATTACH, "/settings/audit", "/settings"])
      await ask(page);
    const file = JSON.parse(simulators.serviceAccount()) as Record<string, string>;
    for (const part of [
      file["client_email"],
      file["private_key"]?.slice(40, 100),
      file["private_key_id"],
      simulators.webmasterKey(),
    ]) {
      expect(part).toBeString();
      expect(answered).not.toContain(part ?? "");
    }
  });
});

describe("attaching", () => {
  /** The form of the page as a browser would send it, with the ticks that stand in it. */
  function ticked(text: string): URLSearchParams {
    const form = new URLSearchParams();
    for (const [input] of text.matchAll(/<input[^>]*>/g)) {
      const name = / name="([^"]*)"/.exec(input)?.[1] ?? "";
      const value = / value="([^"]*)"/.exec(input)?.[1] ?? "";
      if (name === "pick" ? / checked/.test(input) : /^(?:row|site)-/.test(name)) form.append(name, value);
    }
    return form;
  }

  test("everything that is suggested goes in one form, says what comes of it, and can be taken off again", async () => {
    await send(`${await stored()}/discovery`);
    const page = await ask(ATTACH);
    expect(words(page.text)).toContain("4 likely matches selected");
    const { to } = await ask(ATTACH, ticked(page.text));
    expect(to).toBe(`${ATTACH}?done=properties-attached`);
    expect(listAttachments(tower.deps.store.db).map(({ asset, provider }) => `${asset} ${provider}`)).toEqual(
      [
        "harbor.example analytics",
        "harbor.example search-console",
        "orchard.example analytics",
        "orchard.example search-console",
      ],
    );
    expect(words((await ask(to)).text)).toContain(
      "Properties attached. Google data arrives within 15 minutes",
    );
    const settings = words((await ask("/sites/harbor.example/settings")).text);
    expect(settings).toMatch(/Data sources .*Analytics harbor\.example 1001 over Google service account/);
    expect(settings).toMatch(/Webmaster tools Not attached/);
    expect(
      (
        await send(`${ATTACH}/detachment`, {
          asset: "harbor.example",
          provider: "analytics",
          back: "/sites/harbor.example/settings",
        })
      ).to,
    ).toBe("/sites/harbor.example/settings?done=property-detached#sources");
    expect(listAttachments(tower.deps.store.db)).toHaveLength(3);
  });

  test("the page of a credential lists only what is attached over it", async () => {
    const own = await stored();
    await send(`${own}/discovery`);
    await ask(ATTACH, ticked((await ask(ATTACH)).text));
    expect((await ask(own)).text).toContain("/sites/harbor.example");
    const other = (await ask(await stored("nobody"))).text;
    expect(other).not.toContain("/sites/harbor.example");
    expect(other).toContain("No properties yet");
  });

  test("looking at a site and testing its account change no count of integrations", async () => {
    const own = await stored();
    await send(`${own}/discovery`);
    await ask(ATTACH, ticked((await ask(ATTACH)).text));
    const counts = async () => {
      const { summary, coverage } = JSON.parse((await ask("/api/integrations/health")).text);
      const [said] = words((await ask("/integrations")).text).match(/\d+ of \d+ data sources? [^.]+/) ?? [];
      return {
        summary,
        coverage,
        said,
        row: /[\w ]+ of \d+ working/.exec(words((await ask("/")).text))?.[0],
      };
    };
    const before = await counts();
    await ask("/sites/harbor.example");
    const isLive = async () => (await ask("/api/integrations/health")).text.includes('"analytics.realtime"');
    expect((await until(isLive, Boolean)).seen).toBe(true);
    await send(`${own}/test`);
    expect(await counts()).toEqual(before);
    expect(before).toMatchObject({ coverage: { configured: 10 }, said: expect.any(String) });
  });

  test("no single click detaches a property: each page asks first", async () => {
    await send(`${await stored()}/discovery`);
    await ask(ATTACH, ticked((await ask(ATTACH)).text));
    for (const path of [`${ATTACH}?show=attached`, "/sites/harbor.example/settings"]) {
      const tree = parsed((await ask(path)).text);
      const forms = tagged(tree, "form").filter((form) => attribute(form, "action")?.endsWith("/detachment"));
      const asked = tagged(tree, "details").flatMap((details) => tagged(details, "form"));
      const direct = forms.filter((form) => !asked.includes(form)).length;
      expect({ path, forms: forms.length, direct }).toEqual({
        path,
        forms: path.includes("?") ? 4 : 2,
        direct: 0,
      });
    }
  });

  test("a row that cannot be attached says why at its field, keeps what was typed, and holds no other row up", async () => {
    await send(`${await stored()}/discovery`);
    const form = ticked((await ask(ATTACH)).text);
    const places = form.getAll("pick");
    form.set(`site-${places[0]}`, "nowhere.example");
    form.set(`site-${places[1]}`, "");
    const { status, text } = await ask(ATTACH, form);
    expect(status).toBe(422);
    expect(words(text)).toContain("2 properties attached. 2 rows were refused");
    expect(text).toContain("There is no site with this identifier.");
    expect(text).toContain('value="nowhere.example"');
    expect(text).toContain("Name a site, or unselect the row.");
    expect(listAttachments(tower.deps.store.db)).toHaveLength(2);
  });

  test("a site's property is replaced only where that is asked for, and no two rows take one site", async () => {
    await send(`${await stored()}/discovery`);
    const credential = listCredentials(tower.deps.store.db)[0]?.id ?? "";
    const row = (place: number, property: string): [string, string][] => [
      ["pick", String(place)],
      [`row-${place}`, `${credential} analytics ${property}`],
      [`site-${place}`, "harbor.example"],
    ];
    const both = await ask(ATTACH, new URLSearchParams([...row(0, "1001"), ...row(1, "1002")]));
    expect(both.text).toContain("harbor.example is named twice.");
    expect(listAttachments(tower.deps.store.db).map(({ property }) => property)).toEqual(["1001"]);
    const again = await ask(ATTACH, new URLSearchParams(row(0, "1002")));
    expect(words(again.text)).toContain("Replace a site's present property");
    expect(again.text).toContain(
      "harbor.example has 1001 already. Detach it first, or select Replace above.",
    );
    const { to } = await ask(ATTACH, new URLSearchParams([...row(0, "1002"), ["replace", "1"]]));
    expect(to).toBe(`${ATTACH}?done=properties-attached`);
    expect(listAttachments(tower.deps.store.db).map(({ property }) => property)).toEqual(["1002"]);
  });
});

test("when the password is asked for again, everything goes along but the secret", async () => {
  const walk = await new Walk().signedIn();
  for (let i = 0; i < 2; i++) {
    walk.deps.clock.advance(16 * 60_000);
    await walk.get("/settings/credentials");
    await walk.deps.writer.write(() => undefined);
  }
  const form = await walk.get(NEW);
  expect(await form.text()).toContain('name="confirm_password"');
  const asked = await walk.post(NEW, {
    kind: "webmaster-tools-key",
    secret: "canary-0123456789abcdef",
    label: "Main",
  });
  expect(asked.status).toBe(403);
  const page = await asked.text();
  expect(page).toContain('<input type="hidden" name="label" value="Main"/>');
  expect(page).toContain("except the secret");
  expect(page).not.toContain("canary");
});
