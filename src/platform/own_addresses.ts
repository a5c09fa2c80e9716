/** The addresses of this machine, as other computers reach it. */
import { isIPv4 } from "node:net";
import { type NetworkInterfaceInfo, networkInterfaces } from "node:os";

type Interfaces = Readonly<
  Record<string, readonly Pick<NetworkInterfaceInfo, "address" | "internal">[] | undefined>
>;

/** Networks that programs made inside the machine: no other computer is there. */
const INSIDE = /^(?:docker|br-|veth|virbr|podman|cni|lxc)/;
/** An address of one cable, which no browser can name without a zone. */
const LINK_LOCAL = /^fe[89ab][0-9a-f]:/i;

/** The machine's addresses, those first that another computer most likely reaches: of IPv4, and of no network inside. */
export function ownAddresses(interfaces: Interfaces = networkInterfaces()): readonly string[] {
  const found = Object.entries(interfaces).flatMap(([name, entries = []]) =>
    entries
      .filter(({ address, internal }) => !internal && !LINK_LOCAL.test(address))
      .map(({ address }) => ({ address, rank: (INSIDE.test(name) ? 2 : 0) + (isIPv4(address) ? 0 : 1) })),
  );
  return found.sort((one, other) => one.rank - other.rank).map(({ address }) => address);
}

/** Those of them that a listener answers on: all of IPv4 for `0.0.0.0`, all for `::`, none for any other address. */
export function addressesBoundTo(
  host: string,
  addresses: () => readonly string[] = ownAddresses,
): readonly string[] {
  if (host === "0.0.0.0") return addresses().filter(isIPv4);
  return host === "::" || host === "[::]" ? addresses() : [];
}
