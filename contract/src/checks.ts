import Type, { type Static } from 'typebox'
import { Choice, Count, Flag, Identifier, Nullable, Text } from './schema-kit.ts'
import type { SearchFields } from './search.ts'
import { choiceField, textField } from './search-fields.ts'

const platforms = ['darwin', 'windows', 'linux'] as const
export type Platform = (typeof platforms)[number]

const checkTypes = ['osquery', 'custom', 'external'] as const

const CheckTag = Type.Object(
  {
    id: Identifier('Identifier of the tag.'),
    name: Text('Name of the tag.'),
    description: Nullable(Text('What the tag stands for; null when nobody said.')),
    color: Nullable(Text('Colour of the tag in the console, such as `#2f6fed`; null for the plain one.')),
  },
  { description: 'A label that groups checks.' },
)

const groupList = (description: string) => Type.Array(Type.String(), { description })

const CheckAuthBlockingConfiguration = Type.Object(
  {
    blocking_enabled: Flag('Whether failing the check blocks devices, at once or after a grace period.'),
    grace_period_days: Count('Days between the failure and the block.'),
    blocking_group_names: groupList('Names of the groups that are blocked; empty for every targeted device.'),
    blocking_exempt_group_names: groupList('Names of the groups that are never blocked.'),
  },
  { description: 'Whether and whom the check blocks.' },
)

const CheckTargetingConfiguration = Type.Object(
  {
    excluded_groups: groupList('Groups and platforms that the check leaves out.'),
    targeted_groups: groupList('Groups and platforms that the check runs on; empty for every compatible device.'),
  },
  { description: 'Which devices the check runs on.' },
)

export const Check = Type.Object(
  {
    id: Identifier('Identifier of the check.'),
    name: Text('Name of the check.'),
    slug: Text('Short name of the check, fit for programs.'),
    compatible_platforms: Type.Array(Choice(platforms, 'A platform.'), {
      description: 'The platforms that the check can run on.',
    }),
    description: Text('What the check looks at.'),
    topics: Type.Array(Type.String(), { description: 'Subjects that the check touches.' }),
    osquery_sql_template: Nullable(Text('The query, as a Liquid template of the options; null for external checks.')),
    issue_title: Text('Title of the issues that the check opens.'),
    fix_instructions_template: Text('How to put the failure right, as a Liquid template in Markdown.'),
    rationale_template: Text('Why it matters, as a Liquid template in Markdown.'),
    check_tags: Type.Array(CheckTag, { description: 'Labels of the check.' }),
    blocks_auth_configuration: CheckAuthBlockingConfiguration,
    targeting_configuration: CheckTargetingConfiguration,
    percent_passing: Type.Integer({
      minimum: 0,
      maximum: 100,
      description:
        'Share of the targeted devices that pass now, in whole percent, rounded down. Devices count whose result is passing, failing, errored, unknown, stale or pending: what is not 100 need not fail. Devices that the check is inapplicable to or exempted on do not count; 0 when none counts.',
    }),
    kolide_provided: Flag('Whether the check comes with the service rather than from the organization.'),
    type: Choice(checkTypes, 'Whether the check comes with the service, was written here or is reported from outside.'),
  },
  {
    title: 'Check',
    description: 'A rule that devices are held to.',
    examples: [
      {
        id: '57',
        name: 'FileVault is on',
        slug: 'macos-disk-encryption',
        compatible_platforms: ['darwin'],
        description: 'Looks for a volume that FileVault encrypts.',
        topics: ['disk-encryption'],
        osquery_sql_template:
          "SELECT CASE WHEN TOTAL(filevault_status = 'on') > 0 THEN 'PASS' ELSE 'FAIL' END AS KOLIDE_CHECK_STATUS FROM disk_encryption;",
        issue_title: 'FileVault is off',
        fix_instructions_template: 'Open System Settings, Privacy & Security, and turn on FileVault.',
        rationale_template: 'Without encryption, anyone who holds the disk can read it.',
        check_tags: [{ id: '3', name: 'Baseline', description: 'Required on every device.', color: '#2f6fed' }],
        blocks_auth_configuration: {
          blocking_enabled: true,
          grace_period_days: 7,
          blocking_group_names: [],
          blocking_exempt_group_names: ['Early adopters'],
        },
        targeting_configuration: { excluded_groups: ['8'], targeted_groups: ['macos'] },
        percent_passing: 96,
        kolide_provided: true,
        type: 'osquery',
      },
    ],
  },
)
export type Check = Static<typeof Check>

export const checkSearch = {
  name: textField,
  check_description: textField,
  check_tag_name: textField,
  check_tag_description: textField,
  check_tag_id: textField,
  slug: textField,
  // The specification names the field so; the published contract says `slug`.
  check_slug: textField,
  type: choiceField(checkTypes),
} as const satisfies SearchFields
