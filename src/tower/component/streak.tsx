import { answerWords, type Streak } from "../../refusals/mod.ts";
import { formatCount } from "../format.ts";
import { Told } from "./text.tsx";

/** "refused 7 times since the last good one, the latest 422 /metrics/signups/last24h". */
export function StreakWords(props: {
  readonly streak: Streak;
  /** Whether there is a good report to count from. */
  readonly since: boolean;
}) {
  const { streak, since } = props;
  return (
    <>
      refused {streak.count === 1 ? "once" : `${formatCount(streak.count)} times`}
      {since ? " since the last good one" : ""}, {streak.count === 1 ? "with" : "the latest"}{" "}
      <Told class="wrap">{answerWords(streak)}</Told>
    </>
  );
}
