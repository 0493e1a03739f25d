import { deviceGroupSearch } from '@muster/contract/groups.ts'
import { InvalidArgumentError } from 'commander'
import Type from 'typebox'
import { command, describeGroup, flag, preparedCommand } from '../describe-commands.ts'
import { limit, listFlags } from '../list-flags.ts'
import { organization, recordId, shortText } from './shared-members.ts'

const name = Type.Optional(shortText)
const description = Type.Optional(Type.String({ maxLength: 2_000 }))

export const groupGroup = describeGroup('groups', {
  list: command('list', 'List the groups of devices and of people', {
    kind: flag(
      '--kind <kind>',
      'only these; --query and --json are about one kind, and people have names alone',
      Type.Optional(Type.Enum(['device', 'person'])),
    ),
    ...listFlags(deviceGroupSearch),
    limit: flag('--limit <n>', 'at most so many of each kind', limit, { default: 100 }),
  }),
  createDeviceGroup: command(
    'create-device-group <name>',
    'Create a device group and print its identifier; add devices through the API',
    { name: shortText, organization, description: flag('--description <text>', 'what it is for', description) },
  ),
  changeDeviceGroup: preparedCommand(
    'change-device-group <id>',
    'Give a device group another name or description',
    {
      ...{ group: recordId, organization },
      name: flag('--name <name>', 'what it is called', name),
      description: flag('--description <text>', 'what it is for; blank for nothing', description),
    },
    {
      args: Type.Object({ organization: organization.schema, group: recordId, name, description }),
      prepare(given) {
        if (given.name === undefined && given.description === undefined) {
          throw new InvalidArgumentError('say --name or --description')
        }
        return given
      },
    },
  ),
  deleteDeviceGroup: command(
    'delete-device-group <id>',
    'Delete a device group that no check names; its devices stay',
    { group: recordId, organization },
  ),
  createPersonGroup: command('create-person-group <name>', 'Create a person group and print its identifier', {
    ...{ name: shortText, organization },
    members: flag('--member <emails...>', 'who is in it', Type.Optional(Type.Array(Type.String()))),
  }),
})
