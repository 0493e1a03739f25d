import { addPersonGroupMembers } from '../../administration/groups/add-person-group-members.ts'
import { changeDeviceGroup } from '../../administration/groups/change-device-group.ts'
import { createDeviceGroup } from '../../administration/groups/create-device-group.ts'
import { createPersonGroup } from '../../administration/groups/create-person-group.ts'
import { deleteDeviceGroup } from '../../administration/groups/delete-device-group.ts'
import { newChange } from '../../base/change-context.ts'
import { transact } from '../../base/db/transact.ts'
import { implement } from '../describe-commands.ts'
import { findPerson } from '../find-person.ts'
import { changeIn, organizationOf, terminalActor } from '../organization-of.ts'
import { groupGroup } from './group-group.ts'
import { listGroups } from './list-groups.ts'

export const groupCommands = implement(groupGroup, {
  list: listGroups,

  async createDeviceGroup(context, { organization: named, name, description = null }, io) {
    await io.line(await changeIn(context, named, (tx, change) => createDeviceGroup(tx, { name, description }, change)))
  },

  async changeDeviceGroup(context, { organization: named, group: groupId, name, description }, io) {
    await changeIn(context, named, (tx, change) => changeDeviceGroup(tx, { groupId, name, description }, change))
    await io.line(`Updated device group ${groupId}`)
  },

  async deleteDeviceGroup(context, { organization: named, group: groupId }, io) {
    const { name } = await changeIn(context, named, (tx, change) => deleteDeviceGroup(tx, { groupId }, change))
    await io.line(`The device group ${name} is deleted; its devices stay`)
  },

  async createPersonGroup({ connection, now }, { organization: named, name, members = [] }, io) {
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
  },
})
