import type { WebhookEndpointChange } from '@muster/contract/webhook-endpoints.ts'
import type { Static } from 'typebox'
import { transact } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { changeEndpoint } from '../../signals/webhooks/change-endpoint.ts'
import { createEndpoint } from '../../signals/webhooks/create-endpoint.ts'
import { deleteEndpoint } from '../../signals/webhooks/delete-endpoint.ts'
import { findEndpoint } from '../../signals/webhooks/queries.ts'
import { revealSecret } from '../../signals/webhooks/reveal-secret.ts'
import { rollSecret } from '../../signals/webhooks/roll-secret.ts'
import type { CommandContext, CommandIo } from '../data-command.ts'
import { implement } from '../describe-commands.ts'
import { changeIn, organizationOf, terminalChange } from '../organization-of.ts'
import { alignColumns } from '../table.ts'
import { endpointPresenter, everyEndpoint } from '../webhooks/every-endpoint.ts'
import { webhookGroup } from './webhook-group.ts'

const rulesOf = ({ config }: CommandContext) => ({ allowPrivate: config.allowPrivateReceivers })

const whyDisabled = {
  by_admin: 'disabled by an administrator',
  gone: 'its receiver answered 410 Gone',
  failing: 'nothing could be delivered for five days',
}

export const webhookCommands = implement(webhookGroup, {
  async list(context, { organization: named, json: isJson }, io) {
    const { db } = context.connection
    const { id: organizationId } = await organizationOf(db, named)
    const endpoints = await everyEndpoint(context, organizationId)
    if (isJson) {
      for (const one of endpoints) await io.line(JSON.stringify(one))
      return 0
    }
    const rows = endpoints.map(({ id, url, description, events, health, disabled_reason }) => {
      const { failing_since: since, last_error: error } = health
      const trouble = since === null ? disabled_reason && whyDisabled[disabled_reason] : `since ${since}: ${error}`
      // Paths of receivers may hold secrets.
      return [id, new URL(url).host, description, events.join(' '), health.state, health.last_delivered_at, trouble]
    })
    const heads = ['ID', 'RECEIVER', 'DESCRIPTION', 'EVENTS', 'HEALTH', 'LAST DELIVERED', 'TROUBLE']
    for (const line of alignColumns(heads, rows)) await io.line(line)
    return 0
  },

  async add(context, { organization: named, asked, json: isJson }, io) {
    const { connection, secrets, now } = context
    const { id: organizationId } = await organizationOf(connection.db, named)
    const made = { asked, rules: rulesOf(context) }
    const { id, secret } = await transact(connection.db, (tx) =>
      createEndpoint(tx, secrets, made, terminalChange(organizationId, now)),
    )
    if (isJson) {
      const row = orNotFound(await findEndpoint(connection.db, organizationId, id))
      await io.line(JSON.stringify(endpointPresenter(context)(row, secret)))
      return 0
    }
    await io.line(secret)
    await io.error(`Made webhook endpoint ${id}, whose requests are signed with this secret`)
    return 0
  },

  edit: change,
  enable: (context, args, io) => change(context, { ...args, asked: { enabled: true } }, io),
  disable: (context, args, io) => change(context, { ...args, asked: { enabled: false } }, io),

  async delete(context, { organization: named, endpoint: endpointId }, io) {
    await changeIn(context, named, (tx, change) => deleteEndpoint(tx, { endpointId }, change))
    await io.line(`Deleted webhook endpoint ${endpointId}, with what was waiting for it`)
  },

  async revealSecret(context, { organization: named, endpoint: endpointId }, io) {
    await io.line(
      await changeIn(context, named, (tx, change) => revealSecret(tx, context.secrets, { endpointId }, change)),
    )
  },

  async rollSecret({ connection, secrets, now }, { organization: named, endpoint: endpointId, overlapSeconds }, io) {
    const { id: organizationId } = await organizationOf(connection.db, named)
    const roll = { endpointId, overlapSeconds }
    await io.line(
      await transact(connection.db, (tx) => rollSecret(tx, secrets, roll, terminalChange(organizationId, now))),
    )
    const { previous_secret_until: until } = orNotFound(await findEndpoint(connection.db, organizationId, endpointId))
    await io.error(until === null ? 'The one before has ended.' : `The one before signs as well until ${until}.`)
  },
})

type Change = Static<typeof webhookGroup.commands.edit.args>

async function change(context: CommandContext, { organization, endpoint: endpointId, asked }: Change, io: CommandIo) {
  const asking = { endpointId, asked, rules: rulesOf(context) }
  const isChanged = await changeIn(context, organization, (tx, change) =>
    changeEndpoint(tx, context.secrets, asking, change),
  )
  await io.line(`Webhook endpoint ${endpointId} is ${isChanged ? describe(asked) : 'as it was'}`)
  return 0
}

function describe({ enabled, ...others }: WebhookEndpointChange): string {
  if (enabled === undefined || Object.keys(others).length > 0) return 'changed'
  return enabled ? 'enabled' : 'disabled'
}
