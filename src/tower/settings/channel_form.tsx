/** The form of a channel: its rules, address and secret, and their validation. */

import { keyPath } from "../../base/keys.ts";
import { Problem } from "../../base/problem.ts";
import { ruleSentence } from "../../base/text.ts";
import type { HealthReader } from "../../integrations/reader.ts";
import {
  type ChannelKind,
  type FieldFault,
  readRules,
  readSettings,
} from "../../notices/channel_settings.ts";
import { type ChannelDeps, type ChannelRow, saveChannel } from "../../notices/channels.ts";
import type { TestDeps } from "../../notices/outbox.ts";
import { listGroups } from "../../sites/sites.ts";
import { typedInto } from "../form.ts";
import { type PageDeps, withNotice } from "../keyboard.tsx";
import { address, oneOf } from "../kit/address.tsx";
import { type ConfirmDeps, PasswordAgain } from "../kit/confirmed_form.tsx";
import { type Filled, SelectField, TextField } from "../kit/field.tsx";
import { Chips, Told } from "../kit/links.tsx";
import type { Visit } from "../kit/route.ts";
import { Act, Form, RefusedNote, SureAct } from "../kit/shown_once.tsx";
import { paths } from "../paths.ts";
import { type SignedIn, seeOther } from "../session.ts";
import { SettingsPage } from "./settings.tsx";

/** What the pages of notices need. */
export type NoticePageDeps = PageDeps &
  ConfirmDeps &
  ChannelDeps &
  TestDeps & { readonly health: HealthReader; readonly config: { readonly dataDir: string } };

type FormVisit = Visit<SignedIn, unknown, unknown, URLSearchParams, unknown>;

/** A heartbeat is a webhook that gets nothing else. */
export type FormKind = ChannelKind | "heartbeat";

/** The kinds of channels, with the fields of their files. */
export const KINDS: Readonly<Record<FormKind, readonly [name: string, note: string, fields: string]>> = {
  mail: ["Mail", "Sent through your mail server.", "host port tls user password from to"],
  ntfy: ["ntfy", "For example https://ntfy.sh and a topic that your phone follows.", "url topic token"],
  slack: ["Slack webhook", "Slack, Mattermost, and Discord at its address with /slack.", "url"],
  webhook: ["Webhook", "JSON, signed by Standard Webhooks. See /openapi.", "url secret"],
  heartbeat: ["Heartbeat", "An address called each hour while all jobs run. No secret needed.", "url secret"],
};
export const FORM_KINDS = Object.keys(KINDS) as FormKind[];
const FIELDS: Readonly<Record<string, readonly [label: string, help?: string]>> = {
  host: ["Mail server", "For example smtp.shop.example"],
  port: ["Port"],
  tls: ["TLS"],
  user: ["User (optional)"],
  password: ["Password (optional)"],
  from: ["From", "For example tower@shop.example"],
  to: ["To", "One mail address, or several with commas"],
  url: ["Address", "For example https://hooks.example/tower"],
  topic: ["Topic"],
  token: ["Access token (optional)"],
  secret: ["Secret", "Made by: openssl rand -base64 32"],
};
/** All others are an address or a secret, and never written into a page. */
const SHOWN: Readonly<Record<string, string>> = { port: "587", tls: "starttls" };
export const SECRETS = Object.keys(FIELDS).filter((name) => SHOWN[name] === undefined);
const HIDDEN = /^(?:password|secret|token)$/;
export const SEVERITIES = { warn: "Warnings and errors", error: "Errors only", info: "Everything" };
const TLS = { starttls: "STARTTLS (port 587)", implicit: "TLS (port 465)", off: "Off" };
const RULES = {
  ...{ name: "", severity: "warn", group: "", sites: "", "quiet.from": "", "quiet.to": "" },
  ...{ digest: "", zone: "UTC", resolved: "" },
};
export const newAddress = address({ kind: oneOf(FORM_KINDS, "mail") });
export const gone = () => new Problem("not-found", "There is no such channel.");
export const kindOf = ({ kind, rules }: ChannelRow): FormKind => (rules.heartbeat ? "heartbeat" : kind);

/** Adds a channel, or changes one; its address is replaced or stays. */
export function formPage(
  deps: NoticePageDeps,
  { who, page }: Pick<FormVisit, "who" | "page">,
  kind: FormKind,
  row: ChannelRow | null,
  filled: Filled = { values: row === null ? RULES : valuesOf(row), errors: {} },
) {
  const groups = listGroups(deps.store.db).map(({ name }) => name);
  const isRefused = Object.keys(filled.errors).length > 0;
  const isPaused = row !== null && row.paused_at !== null;
  return page(
    <SettingsPage
      part={paths.notices}
      title={row?.name ?? "Add channel"}
      heading={row === null ? "Add channel" : <Told class="wrap">{row.name}</Told>}
      crumb={<a href={paths.notices}>Notices</a>}
      note={`${KINDS[kind][0]}. ${KINDS[kind][1]}${isPaused ? " Paused: nothing is sent." : ""}`}
      still
    >
      <RefusedNote
        errors={filled.errors}
        words="Couldn't save the channel. Check the highlighted field; addresses and secrets were not kept."
      />
      {row === null ? (
        <Chips
          label="Kind"
          choices={FORM_KINDS.map((one) => ({
            words: KINDS[one][0],
            href: `${paths.newChannel}${newAddress.search({ kind: one })}`,
            chosen: one === kind,
          }))}
        />
      ) : (
        <div class="row">
          <Act action={paths.testChannel(row.id)} words="Send test" />
          <Act
            action={paths.pauseChannel(row.id)}
            words={isPaused ? "Resume" : "Pause"}
            hidden={isPaused ? [["undo", "1"]] : []}
          />
          <SureAct
            action={paths.removeChannel(row.id)}
            words="Remove"
            on="this channel"
            consequence="Its address and secrets are deleted. Its deliveries stay listed."
            sure="Remove channel"
          />
        </div>
      )}
      <Form
        action={row === null ? paths.newChannel : paths.channel(row.id)}
        class="stack channel"
        hidden={[["kind", kind]]}
      >
        <div class="fields">{ruleFields(kind, groups, filled)}</div>
        <details class="items" open={row === null || isRefused}>
          <summary>{row === null ? "Address and secret" : "Replace address and secret"}</summary>
          <div class="fields">{connectionFields(kind, filled)}</div>
        </details>
        <PasswordAgain id="channel" who={who} />
        <div>
          <button class="btn primary">{row === null ? "Add channel" : "Save"}</button>
        </div>
      </Form>
    </SettingsPage>,
    { status: isRefused ? 422 : 200 },
  );
}

/** Validates a form as the command validates its file and options, and saves the channel. */
export async function save(
  deps: NoticePageDeps,
  visit: FormVisit,
  kind: FormKind,
  row: ChannelRow | null,
): Promise<Response> {
  const { form, by } = visit;
  const values = typedInto(form, RULES);
  const names = KINDS[kind][2].split(" ");
  const typed = typedInto(form, Object.fromEntries(names.map((name) => [name, ""])), ["password"]);
  const heartbeat = kind === "heartbeat";
  const leavable = heartbeat ? "secret" : "user password token";
  const file = Object.entries(typed).map(([name, text]) => [
    name,
    name === "port" ? Number(text) : text === "" && leavable.includes(name) ? null : text,
  ]);
  const isGiven = row === null || SECRETS.some((name) => (typed[name] ?? "") !== "");
  const asked = { heartbeat, outbound: deps.outbound };
  const read = readSettings(heartbeat ? "webhook" : kind, JSON.stringify(Object.fromEntries(file)), asked);
  const rules = readRules(values.name, heartbeat ? { heartbeat } : rulesIn(values));
  const kept = Object.fromEntries(Object.entries(typed).filter(([name]) => SHOWN[name] !== undefined));
  const refused = (faults: readonly FieldFault[]) =>
    formPage(deps, visit, kind, row, { values: { ...values, ...kept }, errors: sentences(faults) });
  const lost = `the encryption key is lost: put ${keyPath(deps.config.dataDir)} back`;
  if (isGiven && deps.keys.isStandIn) return refused([{ field: "name", message: lost }]);
  if (!rules.ok || (isGiven && !read.ok))
    return refused([...(rules.ok ? [] : rules.faults), ...(read.ok || !isGiven ? [] : read.faults)]);
  const change = {
    name: values.name,
    rules: rules.value,
    ...(isGiven && read.ok && { settings: read.value }),
  };
  const stored = await saveChannel(deps, row?.id, change, by);
  if (!stored.ok) return refused(stored.faults);
  return seeOther(withNotice(paths.channel(stored.channel.id), "channel-saved"));
}

function connectionFields(kind: FormKind, { values, errors }: Filled) {
  const filled = { values: { ...SHOWN, ...values }, errors };
  return KINDS[kind][2].split(" ").map((name) => {
    const [label = "", help] = FIELDS[name] ?? [];
    const field = { name, label, filled, ...(help && { help }) };
    if (name === "tls") return <SelectField {...field} choices={Object.entries(TLS)} />;
    const isHidden = HIDDEN.test(name) || kind === "slack";
    return (
      <TextField
        {...field}
        type={isHidden ? "password" : "text"}
        autocomplete={isHidden ? "new-password" : "off"}
      />
    );
  });
}

function ruleFields(kind: FormKind, groups: readonly string[], filled: Filled) {
  const { group = "", zone = "", resolved } = filled.values;
  const name = <TextField name="name" label="Name" help="For example On-call mail" filled={filled} />;
  if (kind === "heartbeat") return name;
  return (
    <>
      {name}
      <SelectField name="severity" label="Send" choices={Object.entries(SEVERITIES)} filled={filled} />
      <SelectField
        name="group"
        label="Group"
        choices={[["", "All sites"], ...choicesOf(group, groups)]}
        filled={filled}
      />
      <TextField name="sites" label="Only these sites" help="With commas; empty for all" filled={filled} />
      <TextField
        name="quiet.from"
        type="time"
        label="Quiet from"
        help="Errors always pass; the rest waits."
        filled={filled}
      />
      <TextField name="quiet.to" type="time" label="Quiet until" filled={filled} />
      <TextField
        name="digest"
        type="time"
        label="Daily digest at"
        help="Also sent when all is fine"
        filled={filled}
      />
      <SelectField
        name="zone"
        label="Time zone"
        choices={choicesOf(zone, ["UTC", ...Intl.supportedValuesOf("timeZone")])}
        filled={filled}
      />
      <div class="pick">
        <label>
          <input type="checkbox" name="resolved" value="1" checked={resolved === "1"} /> Also send recoveries
        </label>
      </div>
    </>
  );
}

const choicesOf = (chosen: string, all: readonly string[]) =>
  [...new Set([chosen, ...all])].flatMap((one) => (one === "" ? [] : [[one, one] as const]));

/** A channel's name and rules as its form holds them. */
const valuesOf = ({ name, rules }: ChannelRow): typeof RULES => ({
  name,
  severity: rules.severity,
  group: rules.group ?? "",
  sites: rules.sites?.join(", ") ?? "",
  "quiet.from": rules.quiet?.from ?? "",
  "quiet.to": rules.quiet?.to ?? "",
  digest: rules.digest ?? "",
  zone: rules.zone,
  resolved: rules.resolved ? "1" : "",
});

function rulesIn(values: typeof RULES) {
  const { severity, group, digest, zone, resolved, "quiet.from": from, "quiet.to": to } = values;
  const sites = values.sites.split(/[\s,]+/).filter((id) => id !== "");
  const quiet = from + to === "" ? null : { from, to };
  const narrowed = { group: group || null, sites: sites.length === 0 ? null : sites };
  return { severity, ...narrowed, quiet, digest: digest || null, zone, resolved: resolved === "1" };
}

/** A sentence for each refused field. */
function sentences(faults: readonly FieldFault[]): Filled["errors"] {
  const said = faults.map(({ field, message }) => {
    const name = field === "quiet" ? "quiet.to" : field.replace(/^sites\..*/, "sites");
    return [name, ruleSentence(message)];
  });
  return Object.fromEntries(said);
}
