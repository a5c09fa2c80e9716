import { issueServiceToken } from "../../src/access/api_tokens.ts";
import type { Opened } from "../../src/app/boot.ts";
import { packReports } from "../../src/app/schedule.ts";
import { performAct } from "../../src/flags/acts.ts";
import type { FlagRow } from "../../src/flags/flags.ts";
import { listFlags } from "../../src/flags/queries.ts";
import { type Attempted, recordAnswer } from "../../src/signals/answer_record.ts";
import { packSettled } from "../../src/signals/attempt_packs.ts";
import type { Decided } from "../../src/signals/decide.ts";
import { findKnownProperty } from "../../src/signals/observations.ts";
import { listAnnotations, postAnnotation, putRetraction } from "../../src/sites/annotations.ts";
import { changeAsset } from "../../src/sites/site_changes.ts";
import { issueSiteToken } from "../../src/sites/site_tokens.ts";
import type { Tx } from "../../src/store/store.ts";
import { acceptNow, openFolder } from "./data_folder.ts";
import { fullCodebaseReport } from "./make/codebase_report.ts";
import { fullPulse } from "./make/pulse.ts";
import { acceptCodebase } from "./nightly.ts";
import { HARBOR_ANALYTICS } from "./quarters.ts";

const DAY_MS = 86_400_000;

/** A data folder that holds something in every table, opened; the bodies of the last five days are not packed. */
export async function filledFolder(path: string, days = 30): Promise<Opened> {
  const opened = await openFolder(path);
  const { deps } = opened;
  const by = { actor: "operator:ada", now: deps.clock.now() };
  await issueSiteToken(deps, "harbor", by);
  await issueSiteToken(deps, "orchard", by);
  await changeAsset(
    deps.writer,
    "harbor",
    { declare: { family: "signups", storage: "d1" } },
    { ...by, onRetired: () => undefined },
  );
  await issueServiceToken(deps, "pipeline", ["annotations", "read"], by);
  for (let day = days; day >= 1; day--) {
    const at = new Date(by.now - day * DAY_MS).toISOString();
    for (const asset of ["harbor", "orchard"]) {
      await acceptNow(opened, fullPulse({ asset, generatedAt: at }));
    }
    if (day % 5 === 0) await accept(opened, at);
    await postAnnotation(
      deps,
      { asset: "*", at, kind: "deploy", ref: `v${day}`, note: "A note – with more." },
      "ada",
    );
    if (day === 6) {
      await deps.follower.settle();
      await packLater(opened);
    }
  }
  const [entry] = listAnnotations(deps.store.db, {}, 1);
  if (entry !== undefined) {
    await deps.writer.write((tx) =>
      putRetraction(tx, entry.id, { struck: 1, reason: "The wrong server" }, { ...by, name: "ada" }),
    );
  }
  await deps.follower.settle();
  const [flag] = listFlags(deps.store.db, {}, 1);
  if (flag !== undefined) await snooze(opened, flag, by.now);
  await deps.writer.write(() => {
    deps.store.raw.run(OTHERS);
  });
  await pullSignals(opened);
  return opened;
}

/** Attempts of three days, each of which told another value of its day; those of the first two are packed, and so is what they told. */
async function pullSignals({ deps }: Opened): Promise<void> {
  const { clock, writer } = deps;
  const now = clock.now();
  const pull = (at: number, run: number, days: number) =>
    writer.write((tx) => void recordAnswer(tx, attemptAt(at, run), answerOf(tx, at, days)));
  for (let hoursAgo = 72; hoursAgo > 0; hoursAgo--) {
    await deps.jobs.runEntry(
      {
        name: "sense",
        at: "*/15 * * * *",
        recorded: true,
        work: async (run) => {
          await pull(now - hoursAgo * 3_600_000, run.id, 1);
          run.count("changed");
        },
      },
      "schedule",
    );
  }
  await packSettled(deps, 16, 16);
  await pull(now, 1, 97);
  deps.follower.kick();
  await deps.follower.settle();
}

const attemptAt = (startedAt: number, run: number): Attempted => ({
  ...{ workspace: "default", run, target: HARBOR_ANALYTICS, requests: 1 },
  ...{ startedAt, finishedAt: startedAt + 137 },
});

/** An answer that tells so many days anew. */
function answerOf(tx: Tx, at: number, days: number): Decided {
  const today = Math.floor(at / DAY_MS);
  const value = (day: number, place: number) =>
    40 + ((day * 7 + place + (days === 1 ? at / 3_600_000 : 0)) % 11);
  const figures = Array.from({ length: days }, (_, back) => today - days + 1 + back).flatMap((day) =>
    [0, 1, 2, 3].map((place) => ({
      day,
      place,
      to: { state: "final", basis: "reported", value: Math.floor(value(day, place)) } as const,
    })),
  );
  const decision = {
    outcome: "changed",
    figures,
    changed: figures.length,
    firstData: today - 96,
    isForRules: true,
    distorted: undefined,
    covered: today - 2,
  } as const;
  const { newest } = findKnownProperty(tx, HARBOR_ANALYTICS);
  return { ok: true, decision, timeZone: HARBOR_ANALYTICS.timeZone, newest };
}

/** Packs as the job does when nobody has sent anything for a while. */
export function packLater({ deps }: Opened): Promise<void> {
  return packReports({ ...deps, clock: { now: () => deps.clock.now() + 600_000 } });
}

function accept({ deps }: Opened, generatedAt: string) {
  // Some tests take it for a folder of an earlier release, whose reports had no notes.
  const { notes: _, ...report } = fullCodebaseReport({ asset: "harbor", generatedAt });
  return acceptCodebase(deps, report);
}

function snooze({ deps }: Opened, flag: FlagRow, now: number) {
  const by = { id: "operator:ada", name: "ada" };
  return deps.writer.write((tx) => performAct(tx, "snooze", { id: flag.id, by, now, until: now + DAY_MS }));
}

/** What only signing in and passing time would fill. */
const OTHERS = `
  INSERT INTO operator (id, name, kind, password_hash, created_at, password_changed_at)
    VALUES ('op-ada', 'ada', 'person', '$argon2id$v=19$m=8,t=1,p=1$c2FsdHNhbHQ$aGFzaGhhc2g', 1, 2);
  INSERT INTO operator_session VALUES ('aa', 'op-ada', 1, 2, 3, '192.0.2.7', 'Mozilla/5.0', 0);
  INSERT INTO setup_link (digest, created_at, expires_at) VALUES ('bb', 1, 2);
  INSERT INTO sign_in_throttle VALUES ('global', 3, 4, 5);
  INSERT INTO setting_token_use VALUES ('cc', 'harbor', 6);`;
