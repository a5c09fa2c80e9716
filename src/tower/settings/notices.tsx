/** `/settings/notices` and below: the channels, their deliveries of the last 30 days, and the routes of a channel's form. */

import { keyPath } from "../../base/keys.ts";
import { orNotFound } from "../../base/problem.ts";
import { capital, ruleSentence } from "../../base/text.ts";
import { channelScope } from "../../health/health.ts";
import type { TargetView } from "../../integrations/integrations.ts";
import {
  type ChannelKind,
  type ChannelRules,
  type FieldFault,
  readRules,
  readSettings,
} from "../../notices/channel_settings.ts";
import {
  actOnChannel,
  type ChannelRow,
  findChannelRow,
  listChannelRows,
  saveChannel,
} from "../../notices/channels.ts";
import { listNotices, OUTCOMES, type StoredNotice, testChannel } from "../../notices/outbox.ts";
import { quietHoursOf } from "../../notices/plan.ts";
import { FAULT_CODES, isFaultCode, LATER } from "../../providers/faults.ts";
import type { Constants } from "../../sites/constants_schema.ts";
import { listGroups } from "../../sites/sites.ts";
import { formatAge, formatCount, formatMoment } from "../format.ts";
import type { PageGround } from "../ground.ts";
import type { Child } from "../jsx/jsx-runtime.ts";
import { withNotice } from "../keyboard.tsx";
import { address, given, named, oneOf } from "../kit/address.tsx";
import { confirmed, PasswordAgain } from "../kit/confirmed_form.tsx";
import { Act, type Filled, Form, RefusedNote, SelectField, SureAct, TextField } from "../kit/field.tsx";
import { type Look, LookMark, StateMark } from "../kit/glyph.tsx";
import { Chips, Code, Go, Told } from "../kit/links.tsx";
import { Block, EarlierPager, Empty, List, stretchOf } from "../kit/list.tsx";
import { Age } from "../kit/proof.tsx";
import { healthView, mounted, own, typedInto, type Visit } from "../kit/route.ts";
import { CATEGORY_WORDS } from "../kit/words.tsx";
import { paths } from "../paths.ts";
import { type SignedIn, seeOther } from "../session.ts";
import { SettingsPage } from "./settings.tsx";

/** The form of a channel: its rules, address and secret, and their validation. */

type FormVisit = Visit<SignedIn, unknown, unknown, URLSearchParams, unknown>;

/** A heartbeat is a webhook that gets nothing else. */
type FormKind = ChannelKind | "heartbeat";

/** The kinds of channels, with the fields of their files. */
const KINDS: Readonly<Record<FormKind, readonly [name: string, note: string, fields: string]>> = {
  mail: ["Mail", "Sent through your mail server.", "host port tls user password from to"],
  ntfy: ["ntfy", "For example https://ntfy.sh and a topic that your phone follows.", "url topic token"],
  slack: ["Slack webhook", "Slack, Mattermost, and Discord at its address with /slack.", "url"],
  webhook: ["Webhook", "JSON, signed by Standard Webhooks. See /openapi.", "url secret"],
  heartbeat: ["Heartbeat", "An address called each hour while all jobs run. No secret needed.", "url secret"],
};
const FORM_KINDS = Object.keys(KINDS) as FormKind[];
const FIELDS: Readonly<Record<string, readonly [label: string, help?: string]>> = {
  host: ["Mail server", "For example smtp.shop.example"],
  port: ["Port"],
  tls: ["TLS"],
  user: ["User (optional)"],
  password: ["Password (optional)"],
  from: ["From", "For example tower@shop.example"],
  to: ["To", "One mail address, or several with commas"],
  url: ["Address"],
  topic: ["Topic"],
  token: ["Access token (optional)"],
  secret: ["Secret", "Made by: openssl rand -base64 32"],
};
/** All others are an address or a secret, and never written into a page. */
const SHOWN: Readonly<Record<string, string>> = { port: "587", tls: "starttls" };
const SECRETS = Object.keys(FIELDS).filter((name) => SHOWN[name] === undefined);
const HIDDEN = /^(?:password|secret|token)$/;
const SEVERITIES = { warn: "Warnings and errors", error: "Errors only", info: "Everything" };
const TLS = { starttls: "STARTTLS (port 587)", implicit: "TLS (port 465)", off: "Off" };
const RULES = {
  ...{ name: "", severity: "warn", group: "", sites: "", "quiet.from": "", "quiet.to": "" },
  ...{ digest: "", zone: "UTC", resolved: "" },
};
const newAddress = address({ kind: oneOf(FORM_KINDS, "mail") });
const GONE = "There is no such channel.";
const kindOf = ({ kind, rules }: ChannelRow): FormKind => (rules.heartbeat ? "heartbeat" : kind);

/** Adds a channel, or changes one; its address is replaced or stays. */
function formPage(
  deps: PageGround,
  { who, page }: Pick<FormVisit, "who" | "page">,
  kind: FormKind,
  row: ChannelRow | null,
  filled: Filled = { values: row === null ? RULES : valuesOf(row), errors: {} },
) {
  const groups = listGroups(deps.store.db);
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
            hidden={isPaused ? { undo: "1" } : {}}
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
        hidden={{ kind }}
        send={row === null ? "Add channel" : "Save"}
      >
        <div class="fields">{ruleFields(kind, groups, filled)}</div>
        <details class="items" open={row === null || isRefused}>
          <summary>{row === null ? "Address and secret" : "Replace address and secret"}</summary>
          <div class="fields">{connectionFields(kind, filled)}</div>
        </details>
        <PasswordAgain id="channel" who={who} />
      </Form>
    </SettingsPage>,
    { status: isRefused ? 422 : 200 },
  );
}

/** Validates a form as the command validates its file and options, and saves the channel. */
async function save(
  deps: PageGround,
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

type ListVisit = Visit<SignedIn, unknown, typeof listAddress.usual, unknown, unknown>;

const PAGE_SIZE = 50;
const LISTED_MS = 30 * 86_400_000;
const OUTCOME_MARKS: Readonly<Record<(typeof OUTCOMES)[number], Look>> = {
  pending: { glyph: "idle", tone: "idle", words: "Waiting" },
  held: { glyph: "paused", tone: "paused", words: "Held" },
  delivered: { glyph: "working", tone: "working", words: "Delivered" },
  failed: { glyph: "failing", tone: "failing", words: "Failed" },
};

const listAddress = address({
  channel: named(64, null),
  outcome: oneOf(OUTCOMES, null),
  /** The delivery that the list goes on after. */
  before: named(64, null),
});
const link = (change: Partial<typeof listAddress.usual>) =>
  `${paths.notices}${listAddress.search(change)}#deliveries`;

export function noticePageRoutes(deps: PageGround) {
  const { db } = deps.store;
  const secret = confirmed({ secrets: SECRETS });
  return mounted(deps, [
    own.get(paths.notices, { query: listAddress }, listPage),
    own.get(paths.newChannel, { query: newAddress }, (visit) =>
      formPage(deps, visit, visit.query.kind, null),
    ),
    secret.post(paths.newChannel, {}, (visit) => save(deps, visit, newAddress.read(visit.form).kind, null)),
    own.get(paths.channel, {}, (visit) => formPage(deps, visit, ...known(visit.params.id))),
    secret.post(paths.channel, {}, (visit) => save(deps, visit, ...known(visit.params.id))),
    own.post(paths.pauseChannel, {}, async ({ params: { id }, form, by }) => {
      const isPause = form.get("undo") !== "1";
      orNotFound(await actOnChannel(deps, id, isPause ? "pause" : "resume", by), GONE);
      return seeOther(withNotice(paths.channel(id), isPause ? "channel-paused" : "channel-resumed"));
    }),
    confirmed().post(paths.removeChannel, {}, async ({ params: { id }, by }) => {
      orNotFound(await actOnChannel(deps, id, "remove", by), GONE);
      return seeOther(withNotice(paths.notices, "channel-removed"));
    }),
    own.post(paths.testChannel, {}, async ({ params: { id } }) => {
      const { isMonitored, sent } = await testChannel(deps, known(id)[1]);
      const came = sent.ok ? "test-delivered" : "test-failed";
      const its = `${paths.notices}${listAddress.search({ channel: id })}`;
      return seeOther(withNotice(its, isMonitored ? came : "test-unrecorded"));
    }),
  ]);

  function known(id: string): readonly [FormKind, ChannelRow] {
    const row = orNotFound(findChannelRow(db, id), GONE);
    return [kindOf(row), row];
  }

  function listPage({ request, query, now }: ListVisit) {
    const { channel, outcome, before } = query;
    const all = listChannelRows(db);
    const nameOf = (id: string) => all.find((row) => row.id === id)?.name ?? id;
    const { capabilities } = healthView(request, deps.health, now);
    const rows = all
      .filter(({ removed_at }) => removed_at === null)
      .map((row) => {
        const { capability, target } = channelScope(deps.config.workspace, row, false);
        const targets = capabilities.find((one) => one.capability === capability)?.targets;
        return { row, health: targets?.find((one) => one.target === target) };
      });
    const from = now - LISTED_MS;
    const [at, id] = before?.split("_") ?? [];
    const narrowed = { from, ...given({ channel, outcome }) };
    const found = listNotices(db, narrowed, PAGE_SIZE + 1, at === undefined ? [] : [Number(at), id ?? ""]);
    const { items: listed, last } = stretchOf(found, PAGE_SIZE);
    const add = <Go to={paths.newChannel} words="Add channel" primary />;
    return (
      <SettingsPage part={paths.notices} title="Notices">
        {rows.length === 0 ? (
          <Empty alone heading="Nobody is notified">
            <p>A channel sends flags by mail, ntfy, chat or webhook.</p>
            {add}
          </Empty>
        ) : (
          <Block heading="Channels" tools={add}>
            <List
              of="Channels"
              items={rows}
              id={({ row }) => row.id}
              columns={[
                [
                  "Channel",
                  ({ row }) => both(linked(paths.channel(row.id), row.name), KINDS[kindOf(row)][0]),
                ],
                ["Sends", ({ row }) => both(...sendsWords(row.rules))],
                [
                  "Quiet hours",
                  ({ row }) => hoursWords(row.rules, deps.constants.current().constants.notifications),
                ],
                [
                  "Last delivery",
                  ({ row, health }) => lastWords(row, health, now),
                  { label: true, class: "all" },
                ],
                [
                  "Actions",
                  ({ row: { id, name } }) => (
                    <Act action={paths.testChannel(id)} words="Send test" on={<Told>{name}</Told>} />
                  ),
                  { unseen: true },
                ],
              ]}
            />
          </Block>
        )}
        <Block
          heading="Deliveries"
          id="deliveries"
          note={<Told>{`${channel === null ? "" : `${nameOf(channel)}, `}last 30 days`}</Told>}
        >
          <div class="filters">
            <Chips
              label="Outcome"
              choices={[null, ...OUTCOMES].map((one) => ({
                words: one === null ? "All" : OUTCOME_MARKS[one].words,
                href: link(one === null ? {} : { channel, outcome: one }),
                chosen: outcome === one,
              }))}
            />
          </div>
          <List
            of="Deliveries, newest first"
            items={listed}
            empty={<p>No messages in 30 days.</p>}
            columns={[
              ["Sent", (one) => ageOf(one), { class: "nowrap" }],
              [
                "Message",
                (one) => both(<Told class="wrap">{subjectOf(one)}</Told>, <Code>{one.id}</Code>),
                { names: true },
              ],
              ["Channel", ({ channel: id }) => linked(link({ channel: id, outcome }), nameOf(id))],
              [
                "Outcome",
                (one) => both(<LookMark look={OUTCOME_MARKS[one.outcome]} />, nextWords(one, now)),
                { label: true, class: "all" },
              ],
              ["Attempts", ({ attempts }) => formatCount(attempts), { numeric: true }],
            ]}
          />
          <EarlierPager
            from={before}
            next={last && `${last.created_at}_${last.id}`}
            href={(before) => link({ channel, outcome, before })}
          />
        </Block>
      </SettingsPage>
    );
  }
}

const linked = (href: string, name: string) => (
  <a href={href} data-row>
    <Told class="wrap">{name}</Told>
  </a>
);
const both = (first: Child, second: Child) => (
  <>
    {first}
    <small class="block-sm">{second}</small>
  </>
);

/** Why a delivery failed and what to do, by its reviewed code. */
function whyWords({ code, outcome, type }: StoredNotice): string {
  if (code === null) return "";
  if (!isFaultCode(code)) return "The channel was paused or removed first.";
  const { category, words, action } = FAULT_CODES[code];
  // A test is sent once.
  const next = type === "test" && action === LATER ? "Send the test again later." : action;
  return `${CATEGORY_WORDS[category]}: ${words}${outcome === "failed" ? ` ${next}` : ""}`;
}

/** Why a delivery is not there, and when it is sent next. */
function nextWords(notice: StoredNotice, now: number): string {
  const { outcome, due_at } = notice;
  if (outcome === "delivered" || outcome === "failed") return whyWords(notice);
  return `${whyWords(notice)} ${outcome === "held" ? "Until" : "Next try"} ${formatMoment(due_at, now)}`;
}

/** How its last delivery ended. */
function lastWords(row: ChannelRow, health: TargetView | undefined, now: number) {
  if (row.paused_at !== null) return <StateMark state="paused" />;
  if (!health?.lastAttemptStartedAt) return <span class="dim">Nothing sent yet</span>;
  const at = health.lastSuccessStartedAt;
  return both(<StateMark state={health.state} />, `${at === null ? "" : formatAge(at, now)} ${health.why}`);
}

/** What a delivery is about, until it is written. */
const subjectOf = ({ content, type, asset }: StoredNotice): string =>
  content?.subject ?? capital([type.replace(".", " "), ...(asset === null ? [] : [asset])].join(", "));
const ageOf = ({ last_attempt_at, created_at }: StoredNotice) => <Age at={last_attempt_at ?? created_at} />;
function sendsWords({ severity, sites, group, resolved, heartbeat }: ChannelRules): [Child, string] {
  if (heartbeat) return ["A call each hour while all jobs run", ""];
  const all = [...(group === null ? [] : [group]), ...(sites ?? [])];
  const more = all.length > 3 ? ` and ${formatCount(all.length - 3)} more` : "";
  const words = SEVERITIES[severity];
  const whom =
    all.length === 0 ? "All sites" : <Told class="wrap">{`${all.slice(0, 3).join(", ")}${more}`}</Told>;
  return [whom, `${words}${resolved ? ", recoveries" : ""}`];
}

function hoursWords({ heartbeat, digest, ...own }: ChannelRules, general: Constants["notifications"]) {
  const { quiet, zone: quietZone } = quietHoursOf(own, general);
  const zone = digest === null ? quietZone : own.zone;
  const elsewhere = quietZone === zone ? "" : ` (${quietZone})`;
  const hours = quiet === null || heartbeat ? [] : [`${quiet.from}–${quiet.to}${elsewhere}`];
  const words = [...hours, ...(digest === null ? [] : [`digest ${digest}`])];
  return words.length === 0 ? "None" : `${words.join(", ")} (${zone})`;
}
