/** The job `sense`: the daily figures of every attached property of analytics and search console. */
import { isRetired } from "../assets/mod.ts";
import { listAttachments, listAttachmentsOf, listProperties } from "../credentials/mod.ts";
import type { Db } from "../db/mod.ts";
import type { RunHandle } from "../jobs/mod.ts";
import { CircuitBreaker } from "../provider/ask_in_turn.ts";
import type { Provider } from "../provider/contract.ts";
import { allPulled, type PullDeps, pullOne, type Question } from "./pull_one.ts";

/** Providers that are asked every quarter of an hour. */
const SENSED: readonly Provider[] = ["analytics", "search-console"];

/** Asks for every property that a site which is not retired is attached to: those that are not live yet, too. */
export async function pullSense(deps: PullDeps, run: RunHandle): Promise<void> {
  const questions = senseQuestions(deps.store.db);
  const breaker = new CircuitBreaker();
  let done = 0;
  run.progress(done, questions.length, "");
  await deps.judge.during(async () => {
    await allPulled(
      questions.map(async (question) => {
        const { outcome } = await pullOne(deps, run, question, { breaker, priority: "sense" });
        run.count(outcome);
        run.progress(++done, questions.length, `${question.asset}: ${question.provider}`);
      }),
    );
  });
}

/** What is asked, site by site. */
export const senseQuestions = (db: Db): Question[] => attachedQuestions(db, SENSED);

/** The properties of providers that sites which are not retired are attached to. */
export function attachedQuestions(db: Db, providers: readonly Provider[]): Question[] {
  const attached = listAttachments(db).filter(
    ({ asset, provider }) => providers.includes(provider) && !isRetired(db, asset),
  );
  const zones = new Map(
    listProperties(db).map(({ credential, provider, property, timeZone }) => [
      JSON.stringify([credential, provider, property]),
      timeZone,
    ]),
  );
  return attached.map(({ asset, provider, credential, connectionRevision, property }) => ({
    asset,
    provider,
    credential,
    connectionRevision,
    property,
    discoveredZone: zones.get(JSON.stringify([credential, provider, property])),
    isCurrent: (db) => isAttached(db, { asset, provider, connectionRevision, property }),
  }));
}

/** Whether a site's figures of a provider still come from a property over a connection, and are still wanted. */
export function isAttached(
  db: Db,
  of: Pick<Question, "asset" | "provider" | "connectionRevision" | "property">,
): boolean {
  return (
    !isRetired(db, of.asset) &&
    listAttachmentsOf(db, of.asset).some(
      ({ provider, property, connectionRevision }) =>
        provider === of.provider && property === of.property && connectionRevision === of.connectionRevision,
    )
  );
}
