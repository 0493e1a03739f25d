import { isEmailAddress, maxEmailLength } from '@muster/contract/email-address.ts'
import Type from 'typebox'
import type { ChangeContext } from '../../base/change-context.ts'
import { type Tx, transact } from '../../base/db/transact.ts'
import { fail } from '../../base/errors.ts'
import { addPerson, lockPersonByEmail } from '../../inventory/people/add-person.ts'
import { restorePerson } from '../../inventory/people/restore-person.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { CommandError, exitCodes } from '../command-error.ts'
import { defineCommand } from '../data-command.ts'
import { organizationOf, terminalChange } from '../organization-of.ts'

export const addPersonCommand = defineCommand({
  name: 'add-person',
  args: Type.Object({
    organization: Type.Optional(Type.String()),
    name: Type.String({ minLength: 1, maxLength: 200 }),
    email: Type.String({ maxLength: maxEmailLength }),
  }),
  async run({ connection, now }, { organization, name, email }, io) {
    if (!isEmailAddress(email)) fail('invalid', { errors: [{ field: 'email', message: 'must be an e-mail address' }] })
    const { id: organizationId } = await organizationOf(connection.db, organization)
    const context = terminalChange(organizationId, now)
    const { id, outcome } = await transact(connection.db, (tx) => addOrRestore(tx, { name, email }, context))
    if (outcome === 'known') throw new CommandError(exitCodes.failure, `Person ${id} already has the address ${email}`)
    if (outcome === 'restored') await io.error(`Restored person ${id}, who was deactivated. The name is unchanged.`)
    await io.line(id)
    return 0
  },
})

type Outcome = { id: string; outcome: 'added' | 'restored' | 'known' }

/** Whoever had the address before is brought back. */
async function addOrRestore(
  tx: Tx,
  { name, email }: { name: string; email: string },
  context: ChangeContext,
): Promise<Outcome> {
  const { organizationId, now } = context
  const before = await lockPersonByEmail(tx, organizationId, email)
  if (before) {
    const isRestored = await restorePerson(tx, { personId: before.id }, context)
    return { id: before.id, outcome: isRestored ? 'restored' : 'known' }
  }
  const id = await addPerson(tx, { organizationId, name, email, now })
  const description = `Added the person "${name}" (${email}).`
  await recordAudit(tx, { action: 'person.created', about: { person: id }, description }, context)
  return { id, outcome: 'added' }
}
