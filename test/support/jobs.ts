/** Jobs of a process of their own: what they do not know is what a restart does not. */

import { appendAudit } from "../../src/access/audit.ts";
import { StoredJobHealth } from "../../src/health/monitoring.ts";
import { Jobs } from "../../src/store/jobs.ts";

export function jobsOf(
  ground: ConstructorParameters<typeof StoredJobHealth>[0] &
    Omit<ConstructorParameters<typeof Jobs>[0], "health" | "audit" | "attemptsOf">,
  attemptsOf: ConstructorParameters<typeof Jobs>[0]["attemptsOf"] = () => ({}),
): Jobs {
  const health = new StoredJobHealth(ground);
  return new Jobs({ ...ground, health, audit: appendAudit, attemptsOf });
}
