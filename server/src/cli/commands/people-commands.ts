import { maxEmailLength } from '@muster/contract/email-address.ts'
import Type from 'typebox'
import { transact } from '../../base/db/transact.ts'
import { addOrRestorePerson } from '../../inventory/people/add-or-restore-person.ts'
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
    const { id: organizationId } = await organizationOf(connection.db, organization)
    const context = terminalChange(organizationId, now)
    const { id, outcome } = await transact(connection.db, (tx) => addOrRestorePerson(tx, { name, email }, context))
    if (outcome === 'known') throw new CommandError(exitCodes.failure, `Person ${id} already has the address ${email}`)
    if (outcome === 'restored') await io.error(`Restored person ${id}, who was deactivated. The name is unchanged.`)
    await io.line(id)
    return 0
  },
})
