import { commonPasswords } from "./common_passwords.ts";
import { judgePassword, PASSWORD_FAULTS } from "./password_rules.ts";

/** Judges a new password; the sentence that says why it is refused, or undefined. */
export async function passwordFault(password: string, name: string): Promise<string | undefined> {
  const fault = judgePassword(password, name, await commonPasswords());
  return fault === undefined ? undefined : PASSWORD_FAULTS[fault];
}
