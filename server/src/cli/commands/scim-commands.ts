import Type from 'typebox'
import { createScimToken } from '../../access/scim/create-token.ts'
import { revokeScimToken } from '../../access/scim/revoke-token.ts'
import { listScimTokens } from '../../access/scim/token-queries.ts'
import { transact } from '../../base/db/transact.ts'
import { defineCommand } from '../data-command.ts'
import { organizationOf, terminalChange } from '../organization-of.ts'
import { alignColumns } from '../table.ts'

const organization = Type.Optional(Type.String())

export const createScimTokenCommand = defineCommand({
  name: 'create-scim-token',
  args: Type.Object({ organization, name: Type.String({ minLength: 1, maxLength: 200 }) }),
  async run({ connection, secrets, config, now }, { organization: named, name }, io) {
    const { id: organizationId } = await organizationOf(connection.db, named)
    const asked = { name }
    const { token } = await transact(connection.db, (tx) =>
      createScimToken(tx, secrets, asked, terminalChange(organizationId, now)),
    )
    await io.error(`Base URL for the identity provider: ${config.baseUrl}/scim/v2`)
    await io.error('The token is not shown again:')
    await io.line(token)
    return 0
  },
})

export const listScimTokensCommand = defineCommand({
  name: 'list-scim-tokens',
  args: Type.Object({ organization }),
  async run({ connection }, { organization: named }, io) {
    const { id } = await organizationOf(connection.db, named)
    const tokens = await listScimTokens(connection.db, id)
    const rows = tokens.map((token) => [token.id, token.name, token.created_at, token.last_used_at])
    for (const line of alignColumns(['ID', 'NAME', 'CREATED', 'LAST USED'], rows)) await io.line(line)
    return 0
  },
})

export const revokeScimTokenCommand = defineCommand({
  name: 'revoke-scim-token',
  args: Type.Object({ organization, id: Type.String({ pattern: '^[0-9]{1,18}$' }) }),
  async run({ connection, now }, { organization: named, id }, io) {
    const { id: organizationId } = await organizationOf(connection.db, named)
    await transact(connection.db, (tx) => revokeScimToken(tx, { id }, terminalChange(organizationId, now)))
    await io.line(`Revoked SCIM token ${id}`)
    return 0
  },
})
