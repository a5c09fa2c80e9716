/** What the rows of archived reports are told by: addresses, countries, and where visits came from. */

import { capital } from "../../base/text.ts";
import { parseUtcDay } from "../../base/time.ts";
import type { ReportFamily } from "../../providers/report_families.ts";
import { joined, ShortName, Told } from "../kit/links.tsx";
import { Day, Term } from "../kit/proof.tsx";
import { familyWords, keyKind } from "./family_words.ts";

/** Hosts of assistants, as analytics names a source; a subdomain is one of them. */
const ASSISTANTS = (
  "chatgpt.com openai.com perplexity.ai perplexity gemini.google.com bard.google.com copilot.microsoft.com " +
  "copilot.com claude.ai deepseek.com grok.com mistral.ai meta.ai poe.com you.com"
).split(" ");

/** Whether a row is of visits that an assistant sent, by its channel, its medium or its source. */
export function isAssistantReferral(
  { provider, dimensions }: Pick<ReportFamily, "provider" | "dimensions">,
  keys: readonly string[],
): boolean {
  // A script error has a source, too: a file.
  if (provider !== "analytics" || !dimensions.some((name) => name === "channel" || name === "medium"))
    return false;
  const key = (dimension: string) => keys[dimensions.indexOf(dimension)]?.trim().toLowerCase() ?? "";
  if (/^ai assistants?$/.test(key("channel")) || key("medium") === "ai-assistant") return true;
  const source = key("source");
  return ASSISTANTS.some((host) => source === host || source.endsWith(`.${host}`));
}

/** Countries as search console names them (ISO 3166-1 alpha-3, in lower case), in words. */

const CODES =
  "ABWAW AFGAF AGOAO AIAAI ALAAX ALBAL ANDAD AREAE ARGAR ARMAM ASMAS ATAAQ ATFTF ATGAG AUSAU AUTAT AZEAZ BDIBI " +
  "BELBE BENBJ BESBQ BFABF BGDBD BGRBG BHRBH BHSBS BIHBA BLMBL BLRBY BLZBZ BMUBM BOLBO BRABR BRBBB BRNBN BTNBT " +
  "BVTBV BWABW CAFCF CANCA CCKCC CHECH CHLCL CHNCN CIVCI CMRCM CODCD COGCG COKCK COLCO COMKM CPVCV CRICR CUBCU " +
  "CUWCW CXRCX CYMKY CYPCY CZECZ DEUDE DJIDJ DMADM DNKDK DOMDO DZADZ ECUEC EGYEG ERIER ESHEH ESPES ESTEE ETHET " +
  "FINFI FJIFJ FLKFK FRAFR FROFO FSMFM GABGA GBRGB GEOGE GGYGG GHAGH GIBGI GINGN GLPGP GMBGM GNBGW GNQGQ GRCGR " +
  "GRDGD GRLGL GTMGT GUFGF GUMGU GUYGY HKGHK HMDHM HNDHN HRVHR HTIHT HUNHU IDNID IMNIM INDIN IOTIO IRLIE IRNIR " +
  "IRQIQ ISLIS ISRIL ITAIT JAMJM JEYJE JORJO JPNJP KAZKZ KENKE KGZKG KHMKH KIRKI KNAKN KORKR KWTKW LAOLA LBNLB " +
  "LBRLR LBYLY LCALC LIELI LKALK LSOLS LTULT LUXLU LVALV MACMO MAFMF MARMA MCOMC MDAMD MDGMG MDVMV MEXMX MHLMH " +
  "MKDMK MLIML MLTMT MMRMM MNEME MNGMN MNPMP MOZMZ MRTMR MSRMS MTQMQ MUSMU MWIMW MYSMY MYTYT NAMNA NCLNC NERNE " +
  "NFKNF NGANG NICNI NIUNU NLDNL NORNO NPLNP NRUNR NZLNZ OMNOM PAKPK PANPA PCNPN PERPE PHLPH PLWPW PNGPG POLPL " +
  "PRIPR PRKKP PRTPT PRYPY PSEPS PYFPF QATQA REURE ROURO RUSRU RWARW SAUSA SDNSD SENSN SGPSG SGSGS SHNSH SJMSJ " +
  "SLBSB SLESL SLVSV SMRSM SOMSO SPMPM SRBRS SSDSS STPST SURSR SVKSK SVNSI SWESE SWZSZ SXMSX SYCSC SYRSY TCATC " +
  "TCDTD TGOTG THATH TJKTJ TKLTK TKMTM TLSTL TONTO TTOTT TUNTN TURTR TUVTV TWNTW TZATZ UGAUG UKRUA UMIUM URYUY " +
  "USAUS UZBUZ VATVA VCTVC VENVE VGBVG VIRVI VNMVN VUTVU WLFWF WSMWS XKXXK YEMYE ZAFZA ZMBZM ZWEZW";

const names = new Intl.DisplayNames("en-GB", { type: "region" });
const shortOf = new Map(CODES.split(" ").map((pair) => [pair.slice(0, 3).toLowerCase(), pair.slice(3)]));

/** What search console writes where it does not know the country. */
const NOT_KNOWN = "zzz";

/** "Germany" for `deu`; undefined for what is no country. */
export function countryName(code: string): string | undefined {
  if (code.toLowerCase() === NOT_KNOWN) return "Not known";
  const short = shortOf.get(code.toLowerCase());
  return short === undefined ? undefined : names.of(short);
}

/** Addresses of pages as the panels write them. Pure. */

/** The host of a web address in lower case; undefined for what is none. */
function hostOf(address: string): string | undefined {
  const match = /^https?:\/\/([^/?#\s]+)/i.exec(address);
  return match?.[1]?.toLowerCase();
}

/** A property of search console that is a whole domain. */
const DOMAIN = /^sc-domain:(.+)$/i;

/** The hosts that are a site's own: of its address, and of the properties that its figures come from. */
export function ownHosts(addresses: readonly (string | null | undefined)[]): string[] {
  const hosts = addresses.map(
    (address) => hostOf(address ?? "") ?? DOMAIN.exec(address ?? "")?.[1]?.toLowerCase(),
  );
  return [...new Set(hosts.filter((host) => host !== undefined))];
}

/**
 * A path where the address is on one of the site's own hosts; elsewhere the host stands before it. What is no web address stays as it
 * is. Names in it are read as they are spoken, "/café" for "/caf%C3%A9", and signs that are not seen as they are encoded.
 */
export function shownAddress(address: string, hosts: readonly string[]): string {
  const host = hostOf(address);
  if (host === undefined) return readable(address);
  const rest = address.slice(address.indexOf("//") + 2);
  const path = readable(rest.slice(host.length));
  if (!hosts.includes(host)) return plainAddress(rest.slice(0, host.length)) + path;
  return path.startsWith("/") ? path : `/${path}`;
}

/** Signs that are not seen, or turn what stands beside them round. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu;

/** An address in which such signs are encoded, as a web address writes them: nothing of it is hidden or turned round. */
export function plainAddress(address: string): string {
  return address.replace(UNSEEN, encodeURIComponent);
}

/** Encoded characters beyond ASCII, next to one another. What ASCII encodes ("%2F", "%20") says something other than the character does. */
const ENCODED = /(?:%[89a-f][\da-f])+/gi;
/** What may be read: letters with their marks, digits and pictures. None of them looks like a part of an address. */
const READABLE = /^(?!\p{M})[\p{L}\p{M}\p{Nd}\p{Extended_Pictographic}]+$/u;

function readable(address: string): string {
  return plainAddress(address).replace(ENCODED, (encoded) => {
    const text = decoded(encoded);
    return text !== undefined && READABLE.test(text) ? text : encoded;
  });
}

/** Undefined for what is no whole UTF-8. */
function decoded(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}

/** A key on a line of its own is cut where it is longer. */
const LONGEST = 64;

/** What a row is told by: the first of its keys, and the others below it. */
export function KeyCell(props: {
  readonly family: ReportFamily;
  readonly keys: readonly string[];
  readonly hosts: readonly string[];
}) {
  const { family, keys, hosts } = props;
  const [first = "", ...rest] = familyWords(family.name).keys;
  const textOf = (dimension: string) => keys[family.dimensions.indexOf(dimension)] ?? "";
  const key = (dimension: string) => <Key dimension={dimension} text={textOf(dimension)} hosts={hosts} />;
  // What an analytics provider writes where it has nothing to say is no more than noise below a name.
  const told = rest.filter((dimension) => !["", "(not set)"].includes(textOf(dimension)));
  return (
    <>
      {key(first)}
      {/* Assistants often send no referrer, so their visits are counted as others, too (spec, Signal freshness and distortions). */}
      {isAssistantReferral(family, keys) ? (
        <>
          {" "}
          <span class="tag">
            <Term name="lower-bound">lower bound</Term>
          </span>
        </>
      ) : null}
      {told.length === 0 ? null : <small>{joined(told.map(key), " · ")}</small>}
    </>
  );
}

function Key(props: {
  readonly dimension: string;
  readonly text: string;
  readonly hosts: readonly string[];
}) {
  const { dimension, text, hosts } = props;
  const day = parseUtcDay(text);
  if (text.trim() === "") return <span class="dim">(empty)</span>;
  switch (keyKind(dimension)) {
    case "country":
      return <ShortName longest={LONGEST} name={countryName(text) ?? text.toUpperCase()} />;
    case "word":
      return <ShortName longest={LONGEST} name={capital(text.toLowerCase().replaceAll("_", " "))} />;
    case "address":
      return <Address address={text} hosts={hosts} />;
    case "day":
      return day === undefined ? <Told>{text}</Told> : <Day day={day} />;
    case "mono":
      return (
        <span class="mono">
          <ShortName longest={LONGEST} name={text} />
        </span>
      );
    case "text":
      return <ShortName longest={LONGEST} name={text} />;
  }
}

/** An address of a page: as it is read, with all of it in its title. */
export function Address({ address, hosts }: { readonly address: string; readonly hosts: readonly string[] }) {
  return (
    <span class="mono">
      <ShortName longest={LONGEST} name={shownAddress(address, hosts)} whole={plainAddress(address)} />
    </span>
  );
}
