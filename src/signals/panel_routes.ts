/** The read API of search result panels. */

import { Elysia } from "elysia";
import { listEndpoint, type ReadDeps } from "../access/access.ts";
import { assetId, count, instant, object, orNull, text } from "../base/api_description.ts";
import { Problem } from "../base/problem.ts";
import { anyText, DAYS, instantsOf, ListQuery, oneOf, pageAnswer } from "../base/query.ts";
import { formatInstant } from "../base/time.ts";
import { hasAsset } from "../sites/sites.ts";
import { DEVICES, listRuns, PANEL_OUTCOMES, type PanelRun } from "./panels.ts";

const RUN = object({
  id: count,
  panel: { ...text, description: "Its id, as `panel list` prints it." },
  keyword: text,
  location: { ...count, description: "The provider's code of the place." },
  language: text,
  device: { type: "string", enum: DEVICES },
  depth: { ...count, description: "How many results are looked through." },
  run_at: instant,
  outcome: { type: "string", enum: PANEL_OUTCOMES },
  position: { ...orNull(count), description: "The rank among organic results; null unless found." },
  rank_absolute: { ...orNull(count), description: "The rank among all that the page shows." },
  url: orNull(text),
  cost: {
    ...orNull({ type: "number", minimum: 0 }),
    description: "The provider's own decimal; null where it is not known, and the price counts as spent.",
  },
  currency: { type: "string", enum: ["USD"] },
  task: { ...orNull(text), description: "The provider's id of the question." },
});

const EXAMPLE_PANEL = { keyword: "red shoes", location: 2840, language: "en", device: "desktop", depth: 20 };
const EXAMPLE_FOUND = { outcome: "found", position: 4, rank_absolute: 7, url: "https://shop.example/red" };
const EXAMPLE = {
  ...{ id: 412, panel: "019aa5f2-64c8-4e51-9d3e-0c8b5b7f6a10", ...EXAMPLE_PANEL },
  ...{ run_at: "2026-11-21T02:25:00.118Z", ...EXAMPLE_FOUND },
  ...{ cost: 0.0035, currency: "USD", task: "11210225-1535-0139-0000-5f4b5c1e8a07" },
};

export const LIST_PANEL_RUNS = listEndpoint({
  id: "listPanelRuns",
  path: "/api/assets/:asset/panels",
  summary: "List the results of a site's search result panels",
  description:
    "One row for each run of each panel, the newest first: points in time in one place, language and device.",
  segments: { asset: { schema: assetId, description: "The site." } },
  filters: { panel: anyText("One panel."), outcome: oneOf(PANEL_OUTCOMES, "One outcome."), ...DAYS },
  row: RUN,
  example: EXAMPLE,
  refuses: ["not-found"],
});

/** `GET /api/assets/{asset}/panels`. */
export function panelReads({ db, authorizeRead }: ReadDeps) {
  return new Elysia({ name: "panel-reads" }).get(LIST_PANEL_RUNS.path, ({ request, params: { asset } }) => {
    authorizeRead(request);
    if (!hasAsset(db, asset)) throw new Problem("not-found", "No such site.");
    const query = new ListQuery(request, LIST_PANEL_RUNS.filters);
    const [before] = query.cursor(["number"] as const) ?? [];
    const wanted = { ...query.values(), ...instantsOf(query) };
    return pageAnswer(listRuns(db, { asset, before, ...wanted }, query.limit + 1), {
      limit: query.limit,
      toText: (run) => JSON.stringify(answerOf(run)),
      cursorOf: ({ run }) => [run.id],
    });
  });
}

function answerOf({ run, panel, result }: PanelRun) {
  const { keyword, location, language, device, depth } = panel;
  const { outcome = "failed", position = null, rank_absolute = null, url = null } = result ?? {};
  const cost = typeof result?.cost === "string" ? Number(result.cost) : null;
  return {
    ...{ id: run.id, panel: run.panel, keyword, location, language, device, depth },
    ...{ run_at: formatInstant(run.asked_at), outcome, position, rank_absolute, url },
    ...{ cost, currency: "USD", task: result?.task ?? null },
  };
}
