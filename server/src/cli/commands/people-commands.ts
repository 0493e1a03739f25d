import { addOrRestorePerson } from '../../inventory/people/add-or-restore-person.ts'
import { CommandError, exitCodes } from '../command-error.ts'
import { implement } from '../describe-commands.ts'
import { changeIn } from '../organization-of.ts'
import { peopleGroup } from './people-group.ts'

export const peopleCommands = implement(peopleGroup, {
  async add(context, { organization, name, email }, io) {
    const { id, outcome } = await changeIn(context, organization, (tx, change) =>
      addOrRestorePerson(tx, { name, email }, change),
    )
    if (outcome === 'known') throw new CommandError(exitCodes.failure, `Person ${id} already has the address ${email}`)
    if (outcome === 'restored') await io.error(`Restored person ${id}, who was deactivated. The name is unchanged.`)
    await io.line(id)
  },
})
