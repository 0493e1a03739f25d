import { createScimToken } from '../../access/scim/create-token.ts'
import { revokeScimToken } from '../../access/scim/revoke-token.ts'
import { listScimTokens } from '../../access/scim/token-queries.ts'
import { transact } from '../../base/db/transact.ts'
import { implement } from '../describe-commands.ts'
import { changeIn, organizationOf, terminalChange } from '../organization-of.ts'
import { alignColumns } from '../table.ts'
import { scimGroup } from './scim-group.ts'

export const scimCommands = implement(scimGroup, {
  async createToken({ connection, secrets, config, now }, { organization: named, name }, io) {
    const { id: organizationId } = await organizationOf(connection.db, named)
    const asked = { name }
    const { token } = await transact(connection.db, (tx) =>
      createScimToken(tx, secrets, asked, terminalChange(organizationId, now)),
    )
    await io.error(`Base URL for the identity provider: ${config.baseUrl}/scim/v2`)
    await io.error('The token is not shown again:')
    await io.line(token)
  },

  async listTokens({ connection }, { organization: named }, io) {
    const { id } = await organizationOf(connection.db, named)
    const tokens = await listScimTokens(connection.db, id)
    const rows = tokens.map((token) => [token.id, token.name, token.created_at, token.last_used_at])
    for (const line of alignColumns(['ID', 'NAME', 'CREATED', 'LAST USED'], rows)) await io.line(line)
  },

  async revokeToken(context, { organization: named, id }, io) {
    await changeIn(context, named, (tx, change) => revokeScimToken(tx, { id }, change))
    await io.line(`Revoked SCIM token ${id}`)
  },
})
