/** What the readers and writers of texts, moments, numbers, addresses and settings make of mixtures, recorded (`test/support/mixtures.ts`). */

import { test } from "bun:test";
import { readWords, wrapped } from "../../src/base/command_line.ts";
import { misspelledSettings, readConfig, SETTINGS } from "../../src/base/config.ts";
import { readContract } from "../../src/base/contract.ts";
import * as hosts from "../../src/base/hosts.ts";
import { isCutJson } from "../../src/base/json_list.ts";
import { addressFault, networkOf } from "../../src/base/outbound.ts";
import * as repository from "../../src/base/repository.ts";
import { negativeBinomialMidTails, negativeBinomialTails, poissonTails } from "../../src/base/statistics.ts";
import * as text from "../../src/base/text.ts";
import { nearest } from "../../src/base/text.ts";
import * as time from "../../src/base/time.ts";
import { mixtures, recordEach } from "../support/mixtures.ts";
import { texts, words } from "../support/words.ts";

const NUMBERS = [
  0, 0.04, 0.4, 0.95, 1, 1.5, 2, 9.94, 9.96, 10, 99.4, 99.6, 999, 1_000, 1_023, 1_024, 10_239, 1_048_575,
  1_048_576, 1e9, 1e12, -1, -0.5, -0.04, 0.05, 8.64, 24.96, 33.333, 1_536,
].concat(64 * 2 ** 20, 235.4 * 2 ** 30, 5_000 * 2 ** 40);

test("numbers in words", () => {
  recordEach(NUMBERS, (one) => [
    text.countText(one),
    text.expectedText(one),
    text.percentText(one),
    text.byteWords(one),
    text.countWords(one, "day"),
    text.nounFor(one, "entry", "entries"),
  ]);
});

test("chances", () => {
  const digits = (value: object) => Object.values(value).map((one: number) => one.toPrecision(8));
  const asked = [0, 1, 2, 5, 13, 40, 200].flatMap((count) =>
    [0.2, 1, 7.5, 60].flatMap((mean) => [1, 1.4, 6].map((dispersion) => [count, mean, dispersion] as const)),
  );
  recordEach(asked, ([count, mean, dispersion]) => [
    digits(poissonTails(count, mean)),
    digits(negativeBinomialTails(count, mean, dispersion)),
    digits(negativeBinomialMidTails(count, mean, dispersion)),
  ]);
});

test("moments as they are written", () => {
  const parts = texts(
    "2026-02-28|2024-02-29|2026-02-30|1969-12-31|9999-12-31|T| |24:00|23:59|12:30|:61|:07|.5|.123456|Z|z",
    "+05:30|-00:00|+24:00|1 Mar 2026",
  );
  recordEach([...mixtures(parts, 150, 4), ...mixtures(parts, 60, 2, 2)], (one) => [
    time.parseInstant(one),
    time.parseUtcDay(one),
    time.readMoment(one),
  ]);
});

test("moments as they are said", () => {
  const now = Date.UTC(2026, 2, 29, 12);
  const ages = [0, 59e3, 60e3, 36e5, 864e5, 7 * 864e5, 200 * 864e5, 400 * 864e5, -1, -864e5, -1e3, -61e3];
  recordEach(ages, (age) => {
    const at = now - age;
    const day = time.utcDayOf(at);
    return [
      time.momentText(at, now),
      time.dayTextAt(day, now),
      time.dayText(day),
      time.isAhead(at, now),
      time.newestDay(at),
      time.addDays(day, 31),
      time.daysBetween(day, time.utcDayOf(now)),
    ];
  });
  const zones = words(
    "UTC Europe/Berlin America/St_Johns Australia/Lord_Howe Pacific/Apia Asia/Kathmandu Nowhere/Else",
  );
  const instants = [
    Date.UTC(2026, 2, 29, 0, 59),
    Date.UTC(2026, 2, 29, 1),
    Date.UTC(2026, 9, 25, 0, 30),
    Date.UTC(2026, 9, 25, 1, 30),
    Date.UTC(2026, 11, 31, 23, 59),
    ...["18:14:59.999", "18:15"].map((time) => Date.parse(`2026-11-21T${time}Z`)),
    ...["21:59:59.999", "22:00"].map((time) => Date.parse(`2026-03-29T${time}Z`)),
    ...["22:59:59.999", "23:00"].map((time) => Date.parse(`2026-10-25T${time}Z`)),
    ...["02-29T23:59:59", "03-01T03:29:59", "03-01T03:30:00"].map((time) => Date.parse(`2028-${time}Z`)),
  ];
  recordEach(zones, (zone) => [
    time.isTimeZone(zone),
    ...instants.map((at) =>
      time.isTimeZone(zone)
        ? [time.zonedHour(at, zone), time.zoneDay(at, zone), time.calendarDay(at, zone)]
        : [],
    ),
  ]);
});

test("texts made shorter and set in lines", () => {
  const parts =
    "a|word |longer-word |\n|\t|\u0007|é|👩‍👩‍👧|\ud800|  |https://shop.example/some/path?with=query ".split(
      "|",
    );
  recordEach(mixtures(parts, 60, 40), (one) => [
    text.shortText(one, 12),
    text.onOneLine(one),
    wrapped(one, "- ", "  "),
    isCutJson(one),
  ]);
  recordEach(mixtures(Array.from('{}[]",:1tn\\ '), 120, 8), isCutJson);
});

test("names that are nearly others", () => {
  const known = ["harbor", "harbor.example", "orchard", "inn", "TOWER_PORT", "a", "orchards"];
  const asked = mixtures("h|a|r|b|o|har|bor|.example|orch|ard|s|in|n|TOWER|_PORT|u".split("|"), 120, 4);
  recordEach(asked, (one) => nearest(one, known));
  const names = mixtures(
    "TOWER_|INGEST_|PORT|HOST|ORT|S|PUBLIC_URL|LOG_|LEVEL|_|DATA_DIR|ALLOWED_|ASSET_TOKEN|X".split("|"),
    120,
    3,
  );
  recordEach(names, (one) => misspelledSettings({ [one]: "x" }));
});

test("hosts and addresses", () => {
  const parts = texts(
    "127.0.0.1|10.0.0.2|0.0.0.0|::1|[::1]|fe80::1%eth0|::ffff:10.0.0.1|169.254.1.1|localhost|tower.internal|*",
    "*.x|.|:|:443|:65536|/8|/32|/33|/128|a_b|-|xn--a|http://|https://|user:pw@|/path|?q",
  );
  recordEach(mixtures(parts, 220, 3), (one) => [
    [hosts.isHost, hosts.isHostAndPort, hosts.hasPort, hosts.isWildcard, hosts.isLoopback, hosts.isAddress]
      .map((is) => Number(is(one)))
      .join(""),
    hosts.bracketed(one),
    hosts.unbracketed(one),
    hosts.addressRange(one) !== undefined,
    hosts.unknownHost(one, 443),
    addressFault(one, { allowedHosts: ["localhost", "10.0.0.2:443"] }),
    hosts.isAddress(one) ? networkOf(hosts.unbracketed(one)) : "",
  ]);
});

test("addresses of repositories", () => {
  const parts =
    "https://|ssh://|git@|git://|file://|user:pw@|github.com|git.example:22|/|:|a/b|.git|..|./|~|\\|#x|?y".split(
      "|",
    );
  const remotes = texts(
    "https://github.com/acme/shop.git|https://github.com/acme/shop/|http://git.example:8080/acme/shop",
    "git@github.com:acme/shop.git|ssh://git@gitlab.example:22/group/sub/shop.git|javascript:alert(1)//a/b",
    "data:text/html,a/b|https://user:secret@github.com/acme/shop|https://token@github.com/acme/shop",
    "https://github.com/acme|https://github.com/acme/shop?x=1|https://github.com/acme/shop#x",
    "git@host:acme/shop|git@10.0.0.1:acme/shop|ssh://git@github.com:2222/acme/shop",
    "ssh://deploy@github.com/acme/shop|git://github.com/acme/shop|file:///srv/git/shop|/srv/git/shop|../shop|",
    "https://ci:hunter2@git.example/acme/shop.git|ssh://deploy:p@ss@git.example/acme/shop",
    "https://github.com/acme/a@b|https://gitlab.com/acme/shop|https://bitbucket.org/acme/shop",
    "https://forgejo.example/acme/shop|https://git.example/acme/shop",
  );
  recordEach([...remotes, ...mixtures(parts, 150, 5)], (one) => [
    repository.withoutUser(one),
    repository.repositoryAddress(one),
    repository.commitAddress(one, "a".repeat(40)),
    repository.isRelative(one),
    repository.climbs(one),
  ]);
});

test("paths of a repository", () => {
  const paths = texts(
    "a|src/a.ts|.github/x|...|a..b/c|..a/b..|src/...|ä/日本/😀|a b|~/x|a//b|a/./b|C||/etc/passwd|//host/share",
    "C:/x|c:x|..|../a|a/../b|a/..|a\\b|a\u0000b|a\nb|a\u007f|a\u0085|a\ud800",
  );
  const long = ["x".repeat(512), "x".repeat(513), "😀".repeat(512), "😀".repeat(513)];
  recordEach([...paths, ...long, 7, null, ["a"]], (path) => {
    const read = readContract(repository.RepositoryPath, path);
    return read.ok ? "passes" : read.errors.map(({ rule }) => rule);
  });
});

test("the words of a command", () => {
  const syntax = {
    takes: ["<id>"],
    options: {
      name: { value: "<n>", says: "" },
      many: { value: "<m>", many: true, says: "" },
      yes: { says: "" },
    },
  } as const;
  const words =
    "one|two|--name|--name=x|--name=|--many|y|--yes|--yes=1|--|-|-h|--nam|--nope|--__proto__|--help|".split(
      "|",
    );
  recordEach(
    [
      "--yes --yes one ",
      ...mixtures(
        words.map((word) => `${word} `),
        120,
        5,
      ),
    ],
    (one) => readWords(syntax, one.split(" ").slice(0, -1)),
  );
});

test("settings", () => {
  const values = texts(
    "0|1|65535|65536|-1|1e3|yes|True|OFF|false|debug|https://a.example|http://a.example/b|https://u:p@a.example?q",
    "localhost|localhost:80|127.0.0.1|10.0.0.0/8|a,b:1|tower|a b| x |harbor:token-of-harbor-0123456789|x",
  );
  for (const name of SETTINGS.filter((one) => !one.endsWith("_FILE"))) {
    recordEach(values, (value) => {
      const before: Readonly<Record<string, unknown>> = { ...readConfig({ DATA_DIR: "/x" }) };
      const changed = Object.entries(readConfig({ DATA_DIR: "/x", [name]: value }));
      return changed.filter(([key, one]) => JSON.stringify(one) !== JSON.stringify(before[key]));
    });
  }
});
