import { rotateKey } from "../credentials/mod.ts";
import { countWords } from "../lib/plural.ts";
import { systemFiles } from "../platform/files.ts";
import { keyPath } from "../platform/keys.ts";
import { type Command, command, done, refused } from "./contract.ts";
import { keyFault } from "./credential_words.ts";

/** `credentials-key rotate`. */
export const credentialsKeyRotate: Command = command({
  name: "credentials-key rotate",
  summary: "seal credentials with a new key",
  takes: [],
  about: [
    "Makes a new key for this installation and seals every stored credential with it, in one step, while the service goes on. A kill at any moment leaves what the next start finishes. From then on backups and the audit are proven with the new key: keep it apart from the backups, as the one before.",
    "The key before stays beside, in a file that bears its id: backups made until now are proven by it alone, and what they hold of credentials is read with it alone. Move it to where those backups' key is kept.",
    "Where CREDENTIALS_KEY holds the key, it is changed there: the new key goes into CREDENTIALS_KEY and the one before into CREDENTIALS_KEY_PREVIOUS (each also _FILE). The next start seals everything anew, and says when the one before is needed no more.",
  ],
  options: {
    "drop-before": { says: "keep no copy of the key before: backups made until now can no longer be proven" },
  },
  run: async (deps, { options: { "drop-before": drop = false } }) => {
    const by = { actor: "command-line", now: deps.clock.now() };
    const rotated = await rotateKey({ ...deps, files: systemFiles }, by, { drop });
    const path = keyPath(deps.config.dataDir);
    if (!rotated.ok) {
      return refused(
        {
          setting:
            "The key is CREDENTIALS_KEY's: put a new one there (openssl rand -base64 32) and the one before into CREDENTIALS_KEY_PREVIOUS, and start anew",
          lost: keyFault(deps) ?? "",
          changed: `${path} holds another key than the one that is in use: start the service anew, which takes that one up`,
          busy: "It is being changed just now",
        }[rotated.why],
      );
    }
    const { before, now, resealed, unreadable, kept } = rotated;
    return done(
      "",
      [
        `${path} holds a new key (${now}): ${countWords(resealed, "credential")} sealed with it. Keep a copy of it apart from the backups.`,
        kept === undefined
          ? `The key before (${before}) is dropped.`
          : `The key before (${before}) is kept as ${kept}: backups made until now need it. Move it to where you keep their key.`,
        ...(unreadable.length === 0
          ? []
          : [
              `Could not be read before, and cannot now: ${unreadable.join(", ")}. Put each file in again with --replace.`,
            ]),
      ].join("\n"),
    );
  },
});
