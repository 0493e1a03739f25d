import { type Feature, features } from '@muster/contract/features.ts'
import { InvalidArgumentError } from 'commander'
import Type from 'typebox'
import { type OrganizationSettings, usualSettings } from '../../inventory/organizations/usual-settings.ts'
import { command, describeGroup, flag, preparedCommand } from '../describe-commands.ts'
import { mandatoryOrganization, organization, shortText, toggle } from './shared-members.ts'

export const settingNames = Object.keys(usualSettings) as [
  keyof OrganizationSettings,
  ...(keyof OrganizationSettings)[],
]
const feature = Type.Enum(Object.keys(features) as [Feature, ...Feature[]])

export const organizationGroup = describeGroup('organizations', {
  list: command('list', 'List the organizations', {}),
  create: command('create <name>', 'Create an organization and print its identifier', {
    name: shortText,
    withoutChecks: flag('--without-checks', 'enable none of the catalogue', toggle),
  }),
  rename: command('rename <name>', 'Rename an organization', { name: Type.String({ minLength: 1 }), organization }),
  setBaseUrl: command(
    'set-base-url <url>',
    'Set the base address of an organization: the issuer of its streams, and where its links lead',
    { url: Type.String({ minLength: 1, maxLength: 500 }), organization: mandatoryOrganization },
  ),
  endOldAddresses: command(
    'end-old-addresses',
    'Accept the keys and SCIM tokens of an organization at its own base address only',
    { organization: mandatoryOrganization },
  ),
  settings: command('settings', 'Show the settings of an organization, and the defaults', { organization }),
  set: command('set <setting> <value>', 'Change a setting of an organization: days, true or false, or usual', {
    setting: Type.Enum(settingNames),
    value: Type.String({ maxLength: 100 }),
    organization,
  }),
  setFeature: preparedCommand(
    'set-feature <feature>',
    'Switch a feature of the plan on or off',
    {
      feature,
      on: flag('--on', 'switch it on', toggle, { conflicts: 'off' }),
      off: flag('--off', 'switch it off', toggle),
      organization,
    },
    {
      args: Type.Object({ organization: organization.schema, feature, isOn: Type.Boolean() }),
      prepare({ on, off, ...given }) {
        if (on === off) throw new InvalidArgumentError('say --on or --off')
        return { ...given, isOn: on === true }
      },
    },
  ),
})
