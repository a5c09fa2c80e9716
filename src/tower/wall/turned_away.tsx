import { Glyph } from "../component/glyph.tsx";
import type { Shell } from "../shell.ts";
import { WallDocument } from "./page.tsx";

/** What a screen says that may not see the Wall, or no longer. `data-why` is what an open Wall says of itself (`public/wall.js`). */
export function TurnedAway({ shell, hadLink }: { readonly shell: Shell; readonly hadLink: boolean }) {
  return (
    <WallDocument shell={shell} theme={null} title="Wall, signed out" turns={false}>
      <main class="tiles none">
        <h1>
          <Glyph name="s-disconnected" />
          <span data-why>
            {hadLink
              ? "This screen is signed out: its link does not work any more."
              : "This screen is signed out: its session is over."}
          </span>
        </h1>
        <p>
          An operator makes a new link in Tower under Settings, Wall. This screen shows the Wall again once it
          was opened with that.
        </p>
      </main>
    </WallDocument>
  );
}
