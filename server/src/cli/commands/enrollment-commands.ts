import { createEnrollmentSecret } from '../../agents/protocol/create-enrollment-secret.ts'
import { listEnrollmentSecrets } from '../../agents/protocol/enrollment-queries.ts'
import { revokeEnrollmentSecret } from '../../agents/protocol/revoke-enrollment-secret.ts'
import { transact } from '../../base/db/transact.ts'
import { implement } from '../describe-commands.ts'
import { findPerson } from '../find-person.ts'
import { changeIn, organizationOf, terminalChange } from '../organization-of.ts'
import { alignColumns } from '../table.ts'
import { enrollmentSecretGroup } from './enrollment-secret-group.ts'

export const enrollmentSecretCommands = implement(enrollmentSecretGroup, {
  async list({ connection, now }, args, io) {
    const { id } = await organizationOf(connection.db, args.organization)
    const rows = (await listEnrollmentSecrets(connection.db, id)).map((secret) => [
      secret.id,
      secret.name,
      secret.person_email,
      secret.created_at,
      stateOf(secret, now),
    ])
    for (const line of alignColumns(['ID', 'NAME', 'PERSON', 'CREATED', 'STATE'], rows)) await io.line(line)
  },

  async create({ connection, secrets, now }, { organization: named, name, personEmail, expiresAt }, io) {
    const { id: organizationId } = await organizationOf(connection.db, named)
    const { secret } = await transact(connection.db, async (tx) => {
      const person = personEmail === undefined ? undefined : await findPerson(tx, organizationId, personEmail)
      return createEnrollmentSecret(
        tx,
        secrets,
        { name, ...(person && { personId: person.id }), ...(expiresAt !== undefined && { expiresAt }) },
        terminalChange(organizationId, now),
      )
    })
    await io.line(secret)
  },

  async revoke(context, { organization: named, id }, io) {
    await changeIn(context, named, (tx, change) => revokeEnrollmentSecret(tx, { id }, change))
    await io.line(`Revoked enrollment secret ${id}`)
  },
})

function stateOf(secret: { revoked_at: string | null; expires_at: string | null }, now: string): string {
  if (secret.revoked_at !== null) return `revoked ${secret.revoked_at}`
  if (secret.expires_at === null) return 'valid'
  return secret.expires_at <= now ? `expired ${secret.expires_at}` : `valid until ${secret.expires_at}`
}
