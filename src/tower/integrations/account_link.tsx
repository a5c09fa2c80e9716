import type { Credential } from "../../credentials/contract.ts";
import { Told } from "../component/text.tsx";
import { paths } from "../paths.ts";

/** To the account that something is asked over; `otherwise` stands where there is none any more. */
export function AccountLink(props: {
  readonly account: Pick<Credential, "id" | "label"> | undefined;
  readonly otherwise: string;
}) {
  const { account, otherwise } = props;
  if (account === undefined) return <>{otherwise}</>;
  return (
    <a href={paths.credential(account.id)}>
      <Told class="wrap">{account.label}</Told>
    </a>
  );
}
