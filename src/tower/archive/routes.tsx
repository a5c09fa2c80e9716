import { ARCHIVE_JOB, type Archive, type ManifestStretch } from "../../archive/mod.ts";
import { listCredentials } from "../../credentials/mod.ts";
import type { ObjectStore } from "../../objects/contract.ts";
import { Problem } from "../../platform/problem.ts";
import { unwatched } from "../kit/once.ts";
import { get, mounted } from "../kit/route.ts";
import type { PageDeps } from "../page_deps.ts";
import { paths } from "../paths.ts";
import { BeginPage } from "./begin_page.tsx";
import { ArchivePage } from "./page.tsx";
import { archiveAddress } from "./query.ts";
import { ReportPage } from "./report_page.tsx";
import { type ReportView, reportView } from "./report_view.ts";
import { RunBlock } from "./run_block.tsx";
import { type ArchiveDeps, archiveAttempts, archiveJob, archiveView } from "./view.ts";

const PAGE_SIZE = 25;
/** Those that write into the archive, and read it anew. */
const OWN_JOBS: ReadonlySet<string> = new Set([ARCHIVE_JOB, "scrub"]);

/** `/archive`, and the reports below it. */
export function archiveRoutes(
  deps: PageDeps &
    ArchiveDeps & {
      readonly objects: Pick<ObjectStore, "kind" | "where">;
      readonly archive: Pick<Archive, "estimate">;
    },
) {
  const { db, jobs, objects, archive } = deps;
  return mounted(deps, [
    get(paths.archive, { query: archiveAddress }, ({ request, shell, query, now, wants, part }) => {
      if (wants("run")) return part(<RunBlock job={archiveJob(deps, now)} now={now} />);
      const page = (attempts: ManifestStretch) => (
        <ArchivePage
          shell={shell}
          view={archiveView(deps, query, now)}
          query={query}
          attempts={attempts}
          store={objects}
          unwatched={unwatched(request, db, now).filter(
            ({ kind, subject }) => kind === "job" && OWN_JOBS.has(subject),
          )}
        />
      );
      // At one moment where they are found at once, which they are unless few are looked for among very many.
      const attempts = archiveAttempts(db, query, PAGE_SIZE);
      return attempts instanceof Promise ? attempts.then(page) : page(attempts);
    }),
    get(paths.archiveRun, {}, async ({ shell, now }) => {
      const estimate = await archive.estimate(now);
      const running = jobs.running().find(({ job }) => job === ARCHIVE_JOB);
      return <BeginPage shell={shell} estimate={estimate} accounts={listCredentials(db)} running={running} />;
    }),
    get(
      paths.archiveReport,
      { find: ({ report }) => (isRow(report) ? reportView(db, Number(report)) : undefined) ?? noReport() },
      ({ shell, found }) => {
        const page = (view: ReportView) => <ReportPage shell={shell} view={view} />;
        return found instanceof Promise ? found.then(page) : page(found);
      },
    ),
  ]);
}

const isRow = (text: string): boolean => /^[1-9]\d{0,14}$/.test(text);

function noReport(): never {
  throw new Problem("not-found", "No such attempt of the archive.");
}
