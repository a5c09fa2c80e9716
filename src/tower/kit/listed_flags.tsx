/** Flags as the pages of a site list them: what each says leads to its page. */

import { paths } from "../paths.ts";
import { Glyph } from "./glyph.tsx";
import { type Severity, Told, Unseen } from "./links.tsx";
import { When } from "./proof.tsx";

export interface ListedFlag {
  readonly id: string;
  readonly severity: Severity;
  readonly message: string;
  /** When the condition began. */
  readonly heldSince: number;
}

export function ListedFlags({ flags }: { readonly flags: readonly ListedFlag[] }) {
  return (
    <ul class="list raised short">
      {flags.map(({ id, severity, message, heldSince }) => (
        <li data-sev={severity}>
          <Glyph name={`f-${severity}`} />
          <div>
            <p class="said">
              <Unseen>{severity}: </Unseen>
              <a href={paths.flag(id)}>
                <Told>{message}</Told>
              </a>
            </p>
            <p class="note">
              raised <When at={heldSince} />
            </p>
          </div>
        </li>
      ))}
    </ul>
  );
}
