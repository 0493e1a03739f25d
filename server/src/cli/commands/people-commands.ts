import { transact } from '../../base/db/transact.ts'
import { addOrRestorePerson } from '../../inventory/people/add-or-restore-person.ts'
import { CommandError, exitCodes } from '../command-error.ts'
import { implement } from '../describe-commands.ts'
import { organizationOf, terminalChange } from '../organization-of.ts'
import { peopleGroup } from './people-group.ts'

export const peopleCommands = implement(peopleGroup, {
  async add({ connection, now }, { organization, name, email }, io) {
    const { id: organizationId } = await organizationOf(connection.db, organization)
    const context = terminalChange(organizationId, now)
    const { id, outcome } = await transact(connection.db, (tx) => addOrRestorePerson(tx, { name, email }, context))
    if (outcome === 'known') throw new CommandError(exitCodes.failure, `Person ${id} already has the address ${email}`)
    if (outcome === 'restored') await io.error(`Restored person ${id}, who was deactivated. The name is unchanged.`)
    await io.line(id)
  },
})
