import {
  WebhookEndpointChange,
  WebhookEndpointCreation,
  WebhookSecretRoll,
} from '@muster/contract/webhook-endpoints.ts'
import { chosenWebhookEvents, webhookEvents } from '@muster/contract/webhook-event-summaries.ts'
import Type from 'typebox'
import { command, describeGroup, flag, preparedCommand } from '../describe-commands.ts'
import { addWebhookVerify } from '../program/add-webhook-verify.ts'
import { readEndpointFlags } from '../program/read-endpoint-flags.ts'
import { organization, recordId, toggle } from './shared-members.ts'

const events = Type.Array(Type.Enum([...chosenWebhookEvents]))
const eventFlag = ['-e, --event <events...>', 'what to tell it of, all of it'] as const
const text = Type.Optional(Type.String())
const description = flag('--description <text>', 'what it is for', text)

const ofEndpoint = { endpoint: recordId, organization }

export const webhookGroup = describeGroup('webhooks', {
  list: command('list', 'List the endpoints and the health of their receivers', {
    organization,
    json: flag('--json', 'a line of JSON for each', toggle),
  }),
  add: preparedCommand(
    'add <url>',
    'Create an endpoint and print its secret',
    {
      ...{ url: Type.String(), organization, events: flag(...eventFlag, events), description },
      headersFile: flag(
        '--headers-file <file>',
        'headers to send besides, a line `name: value` for each, or JSON',
        text,
      ),
      disabled: flag('--disabled', 'tell it nothing until it is enabled', toggle),
      json: flag('--json', 'print the whole endpoint as JSON', toggle),
    },
    {
      args: Type.Object({ organization: organization.schema, asked: WebhookEndpointCreation, json: toggle }),
      prepare: async ({ organization, json, disabled = false, ...fields }) => ({
        ...{ organization, json },
        asked: { ...(await readEndpointFlags(fields)), enabled: !disabled },
      }),
    },
  ),
  edit: preparedCommand(
    'edit <endpoint>',
    'Change the given fields of an endpoint',
    {
      ...ofEndpoint,
      url: flag('--url <url>', 'where to send events', text),
      events: flag(...eventFlag, Type.Optional(events)),
      description,
      headersFile: flag('--headers-file <file>', 'headers to send besides, instead of those that it has', text),
      headers: flag('--no-headers', 'no headers besides', toggle),
    },
    {
      args: Type.Object({ organization: organization.schema, endpoint: recordId, asked: WebhookEndpointChange }),
      prepare: async ({ organization, endpoint, ...fields }) => ({
        ...{ organization, endpoint },
        asked: await readEndpointFlags(fields),
      }),
    },
  ),
  enable: command('enable <endpoint>', 'Let an endpoint be told again; what waited for it goes first', ofEndpoint),
  disable: command(
    'disable <endpoint>',
    'Tell an endpoint nothing; what happens meanwhile is not kept for it',
    ofEndpoint,
  ),
  delete: command('delete <endpoint>', 'Delete an endpoint, with what waits for it and its log', ofEndpoint),
  revealSecret: command(
    'reveal-secret <endpoint>',
    'Print the secret of an endpoint again; the audit log records it',
    ofEndpoint,
  ),
  rollSecret: command(
    'roll-secret <endpoint>',
    'Give an endpoint a new secret and print it; the previous one also signs for some time',
    {
      ...ofEndpoint,
      overlapSeconds: flag(
        '--overlap <seconds>',
        'for how long; 0 ends it, and any before it, at once',
        WebhookSecretRoll.properties.overlap_seconds,
        { default: 86_400 },
      ),
    },
  ),
})

/** The part that is about what was sent. */
export const webhookLogGroup = describeGroup('webhooks', {
  log: command('log <endpoint>', 'List what was sent to an endpoint and what became of it, newest first', {
    ...ofEndpoint,
    failed: flag('--failed', 'only what failed', toggle),
    last: flag('--last <count>', 'the last so many', Type.Integer({ minimum: 1, maximum: 1_000 }), { default: 20 }),
    json: flag('--json', 'a line of JSON for each', toggle),
  }),
  test: command(
    'test <endpoint>',
    'Send a test event to an endpoint, whatever events it chose, and say what became of it',
    {
      ...ofEndpoint,
      event: flag('--event <name>', 'an example of this event instead', Type.Optional(Type.Enum([...webhookEvents]))),
      waitSeconds: flag(
        '--wait <seconds>',
        'how long to wait for the first attempt',
        Type.Integer({ minimum: 0, maximum: 120 }),
        { default: 20 },
      ),
    },
  ),
  resend: command(
    'resend <endpoint>',
    'Send to an endpoint again: one delivery, or all that failed since a given time',
    {
      ...ofEndpoint,
      delivery: flag('--delivery <id>', 'which one', Type.Optional(recordId)),
      failedSince: flag('--failed-since <time>', 'a date, or a date and time such as 2026-11-20T09:00:00Z', text),
    },
  ),
  verify: addWebhookVerify,
})

export const webhookGroups = [webhookGroup, webhookLogGroup]
