import { trapsOf } from "../../credentials/mod.ts";
import type { AccountProvider } from "../../provider/contract.ts";
import { PROVIDER_WORDS } from "../component/provider_words.ts";

/** What goes wrong most often with these providers, before it does. What holds for several of them stands once. */
export function Traps({ providers }: { readonly providers: readonly AccountProvider[] }) {
  const traps = [...new Set(providers.flatMap((provider) => trapsOf(provider)))];
  return (
    <ol class="steps">
      {traps.map((trap) => {
        const of = trap.providers.filter((provider) => providers.includes(provider));
        return (
          <li>
            <h3>{trap.says}</h3>
            <p class="note">
              {of.length === providers.length || providers.length === 1
                ? null
                : `${of.map((provider) => PROVIDER_WORDS[provider]).join(", ")}: `}
              {trap.action}
            </p>
          </li>
        );
      })}
    </ol>
  );
}
