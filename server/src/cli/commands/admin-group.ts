import { limitedPowers, restrictionsLeaving } from '@muster/contract/admin-powers.ts'
import { adminPresetNames, adminPresets } from '@muster/contract/admin-presets.ts'
import { adminAccesses } from '@muster/contract/admin-users.ts'
import Type, { type Static } from 'typebox'
import { command, describeGroup, flag, preparedCommand } from '../describe-commands.ts'
import { organization, recordId } from './shared-members.ts'

const access = Type.Enum(adminAccesses)
const restrictions = Type.Optional(Type.Array(Type.String()))
const may = Type.Optional(Type.Array(Type.Enum([...limitedPowers])))
const preset = Type.Optional(Type.Enum([...adminPresetNames]))

const rights = {
  organization,
  access: flag('--access <access>', 'what they may do (default: full)', Type.Optional(access)),
  restriction: flag('--restriction <names...>', 'what they may not do, with limited access', restrictions),
  may: flag('--may <names...>', 'what they may do with limited access', may, { conflicts: 'restriction' }),
  preset: flag('--preset <preset>', 'limited access for a kind of work', preset, {
    conflicts: ['may', 'restriction'],
  }),
}
const newAdmin = { email: Type.String(), firstName: Type.String(), lastName: Type.Optional(Type.String()) }

type Rights = {
  access?: Static<typeof access>
  restriction?: Static<typeof restrictions>
  may?: Static<typeof may>
  preset?: Static<typeof preset>
}

/** What the flags say of rights, as the command takes it. */
function readRights<Given extends Rights>({ access, restriction, may, preset, ...given }: Given) {
  const powers = preset === undefined ? may : adminPresets[preset].powers
  const restrictions = powers ? restrictionsLeaving(powers) : restriction
  const chosen = powers ? 'limited' : access
  return { ...given, ...(chosen !== undefined && { access: chosen }), ...(restrictions && { restrictions }) }
}

const named = { admin: Type.String(), organization }

export const adminGroup = describeGroup('admins', {
  list: command('list', 'List the administrators', { organization }),
  add: preparedCommand(
    'add <e-mail> <first-name> [last-name]',
    'Add an administrator and print the identifier',
    { ...newAdmin, ...rights },
    {
      args: Type.Object({
        organization: organization.schema,
        ...newAdmin,
        access: Type.Optional(access),
        restrictions,
      }),
      prepare: readRights,
    },
  ),
  update: preparedCommand(
    'update <id>',
    'Change what an administrator may do',
    { id: recordId, ...rights },
    {
      args: Type.Object({
        organization: organization.schema,
        id: recordId,
        access: Type.Optional(access),
        restrictions,
      }),
      prepare: readRights,
    },
  ),
  remove: command('remove <id>', 'Remove an administrator; the last one with full access stays', {
    id: recordId,
    organization,
  }),
  firstLink: command(
    'first-link',
    'Print a one-time link for the first administrator, while nobody can sign in to the console',
    {},
  ),
  invite: command(
    'invite <id-or-e-mail>',
    'Print a one-time link with which an administrator chooses a password for the console',
    named,
  ),
  reset: command(
    'reset <id-or-e-mail>',
    'Let in an administrator who is locked out: end all sessions and print a link for a new password',
    named,
  ),
})
