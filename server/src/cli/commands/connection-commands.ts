import { transact } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import {
  changeConnection,
  deleteConnection,
  rollConnectionSecret,
} from '../../sign-in/connections/change-connection.ts'
import { noFigures, readFigures } from '../../sign-in/connections/connection-figures.ts'
import { readGroupsOf } from '../../sign-in/connections/connection-groups.ts'
import { findConnectionById, listConnections } from '../../sign-in/connections/connection-queries.ts'
import { type LastRefusal, readRefusals } from '../../sign-in/connections/note-refusal.ts'
import { pauseConnection, resumeConnection } from '../../sign-in/connections/pause-connection.ts'
import { presentConnection } from '../../sign-in/connections/present-connection.ts'
import { findSignInAddress, requireSignInAddress } from '../../sign-in/connections/sign-in-address.ts'
import { findUpstream } from '../../sign-in/upstreams/upstream-queries.ts'
import { fieldsOfConnection } from '../connections/describe-connection.ts'
import { requireConfirmed } from '../connections/require-confirmed.ts'
import { requireRefusing } from '../connections/require-refusing.ts'
import type { CommandContext } from '../data-command.ts'
import { implement } from '../describe-commands.ts'
import { changeIn, organizationOf, terminalChange } from '../organization-of.ts'
import { alignColumns, alignFields } from '../table.ts'
import { connectionGroup } from './connection-group.ts'
import { testConnection } from './test-connection-command.ts'

export const connectionCommands = implement(connectionGroup, {
  async list({ connection, now }, { organization: named }, io) {
    const { id } = await organizationOf(connection.db, named)
    const refusals = await readRefusals(connection.db, id, now)
    const rows = (await listConnections(connection.db, id)).map((one) => [
      one.id,
      one.name,
      one.kind,
      one.mode === 'enforce' && (one.paused_until ?? '') > now ? `paused until ${one.paused_until}` : one.mode,
      one.upstream_id ?? '',
      one.client_id,
      refusalWords(refusals.get(one.id)),
    ])
    const heads = ['ID', 'NAME', 'KIND', 'MODE', 'UPSTREAM', 'CLIENT ID', 'LAST REFUSAL']
    for (const line of alignColumns(heads, rows)) await io.line(line)
  },

  async show(context, { organization: named, id }, io) {
    for (const line of await describeConnection(context, named, id)) await io.line(line)
  },

  test: testConnection,

  async change(context, { organization: named, postLogoutRedirectUris: ledBackTo, ...given }, io) {
    const change = { ...given, ...(ledBackTo !== undefined && { postLogoutRedirectUris: ledBackTo || [] }) }
    const isChanged = await changeIn(context, named, (tx, by) => changeConnection(tx, change, by))
    await io.line(`Connection ${given.id} is ${isChanged ? 'changed' : 'as it was'}`)
    for (const line of await describeConnection(context, named, given.id)) await io.line(line)
  },

  async enforce({ connection, config, now }, { organization: named, id, refusing }, io) {
    const { id: organizationId } = await organizationOf(connection.db, named)
    await requireSignInAddress(connection.db, organizationId, config.baseUrl)
    await transact(connection.db, async (tx) => {
      await requireRefusing(tx, { organizationId, id, refusing, named, now })
      await changeConnection(tx, { id, mode: 'enforce' }, terminalChange(organizationId, now))
    })
    await io.line(`Connection ${id}: enforce`)
  },

  async observe({ connection, config, now }, { organization: named, id }, io) {
    const { id: organizationId } = await organizationOf(connection.db, named)
    await requireSignInAddress(connection.db, organizationId, config.baseUrl)
    await transact(connection.db, (tx) =>
      changeConnection(tx, { id, mode: 'observe' }, terminalChange(organizationId, now)),
    )
    await io.line(`Connection ${id}: observe`)
  },

  async disable({ connection, now }, { organization: named, id, confirm }, io) {
    const { id: organizationId } = await organizationOf(connection.db, named)
    await transact(connection.db, async (tx) => {
      await requireConfirmed(tx, { organizationId, id, confirm, verb: 'disable', named, now })
      await changeConnection(tx, { id, mode: 'disabled' }, terminalChange(organizationId, now))
    })
    await io.line(`Connection ${id}: disabled`)
  },

  async pause(context, { organization: named, ...pause }, io) {
    const { pausedUntil } = await changeIn(context, named, (tx, change) => pauseConnection(tx, pause, change))
    await io.line(`Connection ${pause.id}: paused until ${pausedUntil}`)
  },

  async resume(context, { organization: named, id }, io) {
    await changeIn(context, named, (tx, change) => resumeConnection(tx, { id }, change))
    await io.line(`Connection ${id}: not paused`)
  },

  async rollSecret(context, { organization: named, id }, io) {
    const { clientSecret } = await changeIn(context, named, (tx, change) =>
      rollConnectionSecret(tx, context.secrets, { id }, change),
    )
    await io.line(`Client secret: ${clientSecret}`)
    await io.error('The secret is not shown again, and the earlier one is refused.')
  },

  async delete({ connection, now }, { organization: named, id, confirm }, io) {
    const { id: organizationId } = await organizationOf(connection.db, named)
    await transact(connection.db, async (tx) => {
      await requireConfirmed(tx, { organizationId, id, confirm, verb: 'delete', named, now })
      await deleteConnection(tx, { id }, terminalChange(organizationId, now))
    })
    await io.line(`Connection ${id} deleted`)
  },
})

const refusalWords = (refusal: LastRefusal | undefined): string =>
  refusal ? `${refusal.reason}, ${refusal.refused_at}` : ''

async function describeConnection(
  { connection: { db }, config, now }: CommandContext,
  named: string | undefined,
  id: string,
): Promise<string[]> {
  const { id: organizationId } = await organizationOf(db, named)
  const row = orNotFound(await findConnectionById(db, organizationId, id))
  const figures = (await readFigures(db, organizationId, now)).get(id) ?? noFigures
  const address = await findSignInAddress(db, organizationId, config.baseUrl)
  const upstream = row.upstream_id === null ? undefined : await findUpstream(db, organizationId, row.upstream_id)
  const groups = await readGroupsOf(db, organizationId, [row])
  const view = presentConnection({ ...row, address, figures, groups })
  return alignFields(fieldsOfConnection(view, upstream?.name, now))
}
