import Type, { type Static, type TProperties, type TSchema } from 'typebox'
import { reportedFields } from './devices.ts'
import { Choice, Text } from './schema-kit.ts'
import { type WebhookEvent, webhookEventSummaries } from './webhook-event-summaries.ts'

const Id = (description: string) =>
  Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: `${description}, as a number.` })
const Address = (description: string) => Text(description, { format: 'uri' })

/** A plain JSON Schema, for receivers that validate with a library of their own. */
const OrNull = <Schema extends TSchema>(schema: Schema, description: string) =>
  Type.Union([schema, Type.Null()], { description })

const deviceStatuses = ['good', 'notified', 'will_block', 'blocked'] as const
const DeviceStatus = Choice(deviceStatuses, 'State of the device.')
const accesses = ['full', 'limited', 'billing_only'] as const

const deviceNames = {
  device_id: Id('Identifier of the device'),
  device_name: Text('Name of the device, as it was then.'),
}

const Owner = Type.Object(
  {
    id: Id('Identifier of the person'),
    name: Text('Name of the person.'),
    email: Text('E-mail address of the person.'),
    owner_url: Address('Address of the person in the API.'),
  },
  { description: 'The person it is registered to.' },
)

const deviceNews = {
  ...deviceNames,
  device_status: DeviceStatus,
  device_url: Address('Address of the device in the API.'),
  registered_owner: OrNull(Owner, 'The person it is registered to; null when it is to nobody.'),
}

const issueNews = {
  issue_id: Id('Identifier of the issue'),
  title: Text('What is wrong, in a few words.'),
  check_id: Id('Identifier of the check that found it'),
  device_id: Id('Identifier of the device'),
  device: Type.Object({ id: Id('Identifier of the device'), name: deviceNames.device_name }),
  check: Type.Object({
    id: Id('Identifier of the check'),
    name: Text('Name of the check.'),
    tags: Type.Array(Text('A tag.'), { description: 'Names of the tags of the check.' }),
  }),
}

const signIn = {
  auth_log_url: Address('Address of the log of the sign-in in the API.'),
  browser_name: Text('Name of the browser.'),
  browser_version: Text('Version of the browser.'),
  device_id: OrNull(deviceNames.device_id, 'Identifier of the device; null without one.'),
  device_name: OrNull(deviceNames.device_name, 'Name of the device; null without one.'),
  launcher_version: OrNull(Type.String(), 'Version of the agent on the device; null when it is not known.'),
  person_id: OrNull(Id('Identifier of the person'), 'Identifier of the person; null when unknown.'),
}

const ReportedChange = Type.Object({
  field: Choice(reportedFields, 'What the device reports differently from before.'),
  from: OrNull(Type.String(), 'What was known before; null where nothing was.'),
  to: Text('What the device reports now.'),
})

const PersonEmail = Text('E-mail address of the requester.')
const Message = Text('What the person wrote.')

/** What each event carries as `data`, and what it says. */
const definitions = {
  'auth_logs.success': {
    summary: webhookEventSummaries['auth_logs.success'],
    data: signIn,
  },
  'auth_logs.failure': {
    summary: webhookEventSummaries['auth_logs.failure'],
    data: signIn,
  },
  'device_trust.status_changed': {
    summary: webhookEventSummaries['device_trust.status_changed'],
    data: { ...deviceNames, device_status: DeviceStatus, device_url: deviceNews.device_url },
  },
  'admin_users.created': {
    summary: webhookEventSummaries['admin_users.created'],
    data: {
      admin_user_id: Id('Identifier of the administrator'),
      first_name: Text('First name.'),
      last_name: Text('Last name.'),
      email: Text('E-mail address of the administrator.'),
      access: Choice(accesses, 'What the administrator may do.'),
      admin_user_url: Address('Address of the administrator in the API.'),
    },
  },
  'audit_log.recorded': {
    summary: webhookEventSummaries['audit_log.recorded'],
    data: {
      actor_name: Text('Name of the actor.'),
      actor_type: Text('`User`, `ApiKey`, `System` or `Person`.'),
      actor_email: OrNull(Type.String(), 'E-mail address of the actor; null for API keys and the service itself.'),
      ip_address: OrNull(Type.String(), 'Address that it came from; null when it came from none.'),
      action: Text(
        'What was done, for programs, such as `api_key.revealed`. The guide to the audit log lists every action.',
      ),
      description: Text('What was done, as one sentence.'),
    },
  },
  'devices.created': {
    summary: webhookEventSummaries['devices.created'],
    data: deviceNews,
  },
  'devices.registered': {
    summary: webhookEventSummaries['devices.registered'],
    data: deviceNews,
  },
  'devices.registration_suspended': {
    summary: webhookEventSummaries['devices.registration_suspended'],
    data: { ...deviceNews, reason: Text('Why the registration is suspended.') },
  },
  'devices.identity_conflict': {
    summary: webhookEventSummaries['devices.identity_conflict'],
    data: deviceNews,
  },
  'devices.updated': {
    summary: webhookEventSummaries['devices.updated'],
    data: { ...deviceNews, changes: Type.Array(ReportedChange, { description: 'What changed.' }) },
  },
  'devices.destroyed': {
    summary: webhookEventSummaries['devices.destroyed'],
    data: { ...deviceNames, status: DeviceStatus },
  },
  'issues.new': {
    summary: webhookEventSummaries['issues.new'],
    data: issueNews,
  },
  'issues.resolved': {
    summary: webhookEventSummaries['issues.resolved'],
    data: issueNews,
  },
  'requests.issue_exemption': {
    summary: webhookEventSummaries['requests.issue_exemption'],
    data: {
      ...deviceNames,
      person_email: PersonEmail,
      message: Message,
      issues: Type.Array(
        Type.Object({
          issue_id: Id('Identifier of the issue'),
          issue_url: Address('Address of the issue in the API.'),
        }),
        { description: 'The issues that it is about.' },
      ),
    },
  },
  'requests.registration': {
    summary: webhookEventSummaries['requests.registration'],
    data: {
      device: Type.Object({
        id: Id('Identifier of the device'),
        name: deviceNames.device_name,
        url: Address('Address of the device in the API.'),
      }),
      requester: Type.Object({
        id: Id('Identifier of the person'),
        email: PersonEmail,
        url: Address('Address of the person in the API.'),
      }),
      message: Message,
    },
  },
  'webhook.test': {
    summary: webhookEventSummaries['webhook.test'],
    data: { message: Text('What it is.') },
  },
} as const satisfies Record<WebhookEvent, { summary: string; data: TProperties }>

type Definitions = typeof definitions

export type WebhookData<Event extends WebhookEvent> = {
  [Name in Event]: Static<ReturnType<typeof Type.Object<Definitions[Name]['data']>>>
}[Event]

/** What an endpoint is sent. */
export const webhookPayload = (event: WebhookEvent) => {
  const { summary, data } = definitions[event]
  return Type.Object(
    {
      event: Type.Literal(event, { description: 'What happened.' }),
      id: Text(
        'A ULID: the same however often it is sent, so that repeats are known. Equals the `webhook-id` header.',
        {
          pattern: '^[0-9A-HJKMNP-TV-Z]{26}$',
        },
      ),
      timestamp: Text('When it happened, to the second.', { format: 'date-time' }),
      cause: Type.Optional(
        Text(
          'What brought it about: the same for everything that one request, deadline or answer of a device has caused, also in the audit log and as `txn` in the tokens of streams. Left out of what was queued before it was kept.',
        ),
      ),
      data: Type.Object(data as TProperties, { description: 'About what it happened to.' }),
    },
    { title: event, description: summary },
  )
}
