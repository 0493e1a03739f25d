import Type, { type Static } from 'typebox'
import { Choice, Count, Flag, Identifier, JsonText, Nullable, Text, Timestamp } from './schema-kit.ts'

export const remediationStrategies = ['block_immediately', 'warn_then_block', 'notify_only', 'report_only'] as const

export type RemediationStrategy = (typeof remediationStrategies)[number]

const strategy = Choice(remediationStrategies, 'What happens to a device that fails the check.')

/** How group lists name the platforms; every other entry is the identifier of a device group. */
const platformGroups = ['macos', 'windows', 'linux'] as const

const groupMeanings = {
  targeted_groups:
    'Device group identifiers and `macos`, `windows`, `linux` that the check runs on; empty for every compatible device.',
  excluded_groups: 'Device group identifiers and platforms that the check leaves out, even where they are targeted.',
  blocking_allowed_groups:
    'Device group identifiers and platforms that may be blocked; empty for every targeted device.',
  blocking_excluded_groups:
    'Device group identifiers and platforms that are never blocked, even where they are allowed.',
}

const groupList = (description: string) => Type.Array(Type.String(), { description })

const groupListInput = (description: string) =>
  Type.Optional(
    Type.Array(
      Type.Union([
        Type.String({ pattern: `^([0-9]{1,18}|${platformGroups.join('|')})$` }),
        Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
      ]),
      { description },
    ),
  )

const pausedMeaning = 'Whether the check is paused: it does not run and blocks nobody.'
const graceMeaning = 'Days between a failure and the block, where the strategy warns first.'
const shelfLifeMeaning = 'Age in seconds beyond which a result is renewed at sign-in.'
const snoozeMeaning = 'Whether end users are kept from putting off the issues of the check.'
const exemptionsMeaning = 'Whether end users are kept from asking for exemptions.'

export const configurationExample = {
  id: '41',
  organization_id: '1',
  check_id: '58',
  name: 'Screen locks quickly after sleep',
  check_slug: 'macos-screen-lock',
  issue_title: 'Screen locks too late',
  options: '{"max_grace_seconds":60}',
  use_custom_rationale_template: false,
  use_custom_fix_instructions_template: false,
  paused: false,
  paused_by: null,
  paused_at: null,
  revision: '4',
  block_auth_grace_period_days: 7,
  auth_check_run_shelf_life_seconds: 3600,
  begins_blocking_on: '2026-12-01T00:00:00.000Z',
  snooze_disallowed: false,
  exemptions_disallowed: false,
  customized_remediation_targeting: false,
  customized_run_targeting: true,
  remediation_strategy: 'warn_then_block',
  targeted_groups: ['macos'],
  excluded_groups: ['8'],
  blocking_allowed_groups: [],
  blocking_excluded_groups: [],
}

export const CheckConfiguration = Type.Object(
  {
    id: Identifier('Identifier of the configuration.'),
    organization_id: Identifier('The organization that the configuration belongs to.'),
    check_id: Identifier('The check that is configured.'),
    name: Text('Name of the check.'),
    check_slug: Text('Short name of the check, fit for programs.'),
    issue_title: Text('Title of the issues that the check opens.'),
    options: JsonText('Values that the query of the check uses, as JSON text of an object.'),
    use_custom_rationale_template: Flag('Whether the organization wrote its own rationale.'),
    use_custom_fix_instructions_template: Flag('Whether the organization wrote its own instructions.'),
    paused: Flag(pausedMeaning),
    paused_by: Nullable(Text('Name of the person who paused the check; null while it is not paused.')),
    paused_at: Nullable(Timestamp('When the check was paused; null while it is not paused.')),
    revision: Text('Changes with every change of the configuration.'),
    block_auth_grace_period_days: Count(graceMeaning),
    auth_check_run_shelf_life_seconds: Count(shelfLifeMeaning),
    begins_blocking_on: Nullable(
      Timestamp('Before this moment the check blocks nobody; null when there is no such moment.'),
    ),
    snooze_disallowed: Flag(snoozeMeaning),
    exemptions_disallowed: Flag(exemptionsMeaning),
    customized_remediation_targeting: Flag('Whether some groups are singled out for blocking or kept from it.'),
    customized_run_targeting: Flag('Whether some groups are singled out for the check or kept from it.'),
    remediation_strategy: strategy,
    targeted_groups: groupList(groupMeanings.targeted_groups),
    excluded_groups: groupList(groupMeanings.excluded_groups),
    blocking_allowed_groups: groupList(groupMeanings.blocking_allowed_groups),
    blocking_excluded_groups: groupList(groupMeanings.blocking_excluded_groups),
  },
  {
    title: 'CheckConfiguration',
    description: 'How an organization runs a check and what failing it means.',
    examples: [configurationExample],
  },
)
export type CheckConfiguration = Static<typeof CheckConfiguration>

const wholeNumber = (maximum: number, description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum, description }))

export const CheckConfigurationRequest = Type.Object(
  {
    paused: Type.Optional(Flag(pausedMeaning)),
    block_auth_grace_period_days: wholeNumber(3_650, graceMeaning),
    auth_check_run_shelf_life_seconds: wholeNumber(31_536_000, shelfLifeMeaning),
    snooze_disallowed: Type.Optional(Flag(snoozeMeaning)),
    exemptions_disallowed: Type.Optional(Flag(exemptionsMeaning)),
    targeted_groups: groupListInput(groupMeanings.targeted_groups),
    excluded_groups: groupListInput(groupMeanings.excluded_groups),
    blocking_allowed_groups: groupListInput(groupMeanings.blocking_allowed_groups),
    blocking_excluded_groups: groupListInput(groupMeanings.blocking_excluded_groups),
    options: Type.Optional(
      Type.Union([Type.String(), Type.Object({}, { additionalProperties: true })], {
        description: 'Values that the query uses, as an object or JSON text of one; replaces all earlier values.',
      }),
    ),
    remediation_strategy: Type.Optional(strategy),
  },
  {
    title: 'CheckConfigurationRequest',
    description: 'What to change; members that are left out stay as they are.',
    examples: [
      {
        options: { max_grace_seconds: 60 },
        remediation_strategy: 'warn_then_block',
        block_auth_grace_period_days: 7,
        targeted_groups: ['macos', 12],
        excluded_groups: ['8'],
      },
    ],
  },
)
export type CheckConfigurationRequest = Static<typeof CheckConfigurationRequest>
