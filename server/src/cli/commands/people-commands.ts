import Type from 'typebox'
import { transact } from '../../base/db/transact.ts'
import { addPerson } from '../../inventory/people/add-person.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { defineCommand } from '../data-command.ts'
import { organizationOf, terminalChange } from '../organization-of.ts'

export const addPersonCommand = defineCommand({
  name: 'add-person',
  args: Type.Object({
    organization: Type.Optional(Type.String()),
    name: Type.String({ minLength: 1, maxLength: 200 }),
    email: Type.String({ pattern: '^[^@\\s]+@[^@\\s]+$', maxLength: 320 }),
  }),
  async run({ connection, now }, { organization, name, email }, io) {
    const { id: organizationId } = await organizationOf(connection.db, organization)
    const id = await transact(connection.db, async (tx) => {
      const added = await addPerson(tx, { organizationId, name, email, now })
      const description = `Added the person "${name}" (${email}).`
      await recordAudit(
        tx,
        { action: 'person.created', about: { person: added }, description },
        terminalChange(organizationId, now),
      )
      return added
    })
    await io.line(id)
    return 0
  },
})
