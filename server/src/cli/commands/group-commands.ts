import Type from 'typebox'
import { addPersonGroupMembers } from '../../administration/groups/add-person-group-members.ts'
import { changeDeviceGroup } from '../../administration/groups/change-device-group.ts'
import { createDeviceGroup } from '../../administration/groups/create-device-group.ts'
import { createPersonGroup } from '../../administration/groups/create-person-group.ts'
import { deleteDeviceGroup } from '../../administration/groups/delete-device-group.ts'
import { newChange } from '../../base/change-context.ts'
import { transact } from '../../base/db/transact.ts'
import { defineCommand } from '../data-command.ts'
import { findPerson } from '../find-person.ts'
import { organizationOf, terminalActor, terminalChange } from '../organization-of.ts'

const organization = Type.Optional(Type.String())
const name = Type.String({ minLength: 1, maxLength: 200 })

export const createDeviceGroupCommand = defineCommand({
  name: 'create-device-group',
  args: Type.Object({ organization, name, description: Type.Optional(Type.String({ maxLength: 2_000 })) }),
  async run({ connection, now }, { organization: named, name, description = null }, io) {
    const { id: organizationId } = await organizationOf(connection.db, named)
    const group = { name, description }
    await io.line(
      await transact(connection.db, (tx) => createDeviceGroup(tx, group, terminalChange(organizationId, now))),
    )
    return 0
  },
})

const deviceGroup = Type.String({ pattern: '^[0-9]{1,18}$' })

export const changeDeviceGroupCommand = defineCommand({
  name: 'change-device-group',
  args: Type.Object({
    organization,
    group: deviceGroup,
    name: Type.Optional(name),
    description: Type.Optional(Type.String({ maxLength: 2_000 })),
  }),
  async run({ connection, now }, { organization: named, group: groupId, name, description }, io) {
    const { id: organizationId } = await organizationOf(connection.db, named)
    const change = { groupId, name, description }
    await transact(connection.db, (tx) => changeDeviceGroup(tx, change, terminalChange(organizationId, now)))
    await io.line(`Device group ${groupId} is as you said`)
    return 0
  },
})

export const deleteDeviceGroupCommand = defineCommand({
  name: 'delete-device-group',
  args: Type.Object({ organization, group: deviceGroup }),
  async run({ connection, now }, { organization: named, group: groupId }, io) {
    const { id: organizationId } = await organizationOf(connection.db, named)
    const deletion = { groupId }
    const { name } = await transact(connection.db, (tx) =>
      deleteDeviceGroup(tx, deletion, terminalChange(organizationId, now)),
    )
    await io.line(`The device group ${name} is deleted; its devices stay`)
    return 0
  },
})

export const createPersonGroupCommand = defineCommand({
  name: 'create-person-group',
  args: Type.Object({ organization, name, members: Type.Array(Type.String()) }),
  async run({ connection, now }, { organization: named, name, members }, io) {
    const { id: organizationId } = await organizationOf(connection.db, named)
    const actor = terminalActor()
    const id = await transact(connection.db, async (tx) => {
      const personGroupId = await createPersonGroup(tx, { name }, newChange(actor, organizationId, now))
      const personIds: string[] = []
      for (const email of members) personIds.push((await findPerson(tx, organizationId, email)).id)
      if (personIds.length > 0)
        await addPersonGroupMembers(tx, { personGroupId, personIds }, newChange(actor, organizationId, now))
      return personGroupId
    })
    await io.line(id)
    return 0
  },
})
