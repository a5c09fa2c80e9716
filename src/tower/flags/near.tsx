/** The changes near the day since when something is flagged. */

import { DAY_MS } from "../../base/time.ts";
import { listBetween, type StoredAnnotation } from "../../sites/annotations.ts";
import type { Db } from "../../store/store.ts";
import { Mark } from "../kit/chart_marks.tsx";
import { Told } from "../kit/links.tsx";
import { Block } from "../kit/list.tsx";
import { Moment } from "../kit/proof.tsx";
import { annotationName } from "../timeline/day.tsx";

/** So long before it, and after it, in milliseconds. */
const [BEFORE_MS, AFTER_MS] = [7 * DAY_MS, DAY_MS];
/** Most changes named. */
const MOST_NEAR = 20;

/** The changes around a moment. */
export const nearOf = (db: Db, asset: string, at: number) =>
  listBetween(db, asset, at - BEFORE_MS, at + AFTER_MS, MOST_NEAR);

export function Near({ near }: { readonly near: readonly StoredAnnotation[] }) {
  return (
    <Block heading="Changes around that date" note="Correlation only">
      {near.length === 0 ? <p>No changes in the week before or the day after</p> : null}
      <ul class="near">
        {near.map((change) => (
          <li>
            <Mark kind={change.kind} />
            <Moment at={change.atMs} />
            <span>
              <Told class="wrap">{annotationName(change)}</Told>
              {change.note === null || change.note === annotationName(change) ? null : (
                <small>
                  <Told class="wrap">{change.note}</Told>
                </small>
              )}
            </span>
          </li>
        ))}
      </ul>
    </Block>
  );
}
