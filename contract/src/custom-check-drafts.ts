import Type, { type Static } from 'typebox'
import { Choice, Flag, Identifier, JsonText, Text, Timestamp } from './schema-kit.ts'
import type { SearchFields } from './search.ts'
import { textField, timeField } from './search-fields.ts'

const draftPlatforms = ['darwin', 'windows', 'linux'] as const
const sectionStatuses = ['missing', 'bad', 'good'] as const

const section = (what: string) =>
  Choice(
    sectionStatuses,
    `${what}: \`missing\` while something has to be filled in, \`bad\` while something is wrong, else \`good\`.`,
  )

export const customCheckDraftExample = {
  id: '12',
  name: 'Hosts file is untouched',
  slug: 'hosts-file-untouched',
  description: 'Looks for names in the hosts file that lead elsewhere.',
  issue_title: 'The hosts file redirects a name',
  osquery_sql:
    "SELECT hostnames, address, CASE WHEN address LIKE '127.%' THEN 'PASS' ELSE 'FAIL' END AS KOLIDE_CHECK_STATUS FROM etc_hosts;",
  platforms: ['darwin', 'linux'],
  rationale_template: 'A name that leads elsewhere can send your password to a stranger.',
  fix_instructions_template: '1. Remove {% for row in rows %}{{ row.hostnames | code }} {% endfor %}from the file.',
  privacy_info: 'Names and addresses in the hosts file.',
  check_type: 'osquery',
  target_type: 'devices',
  requires_primary_key: true,
  primary_key_column: 'hostnames',
  published: true,
  custom_check_id: '88',
  osquery_sql_status: 'good',
  notification_templates_status: 'good',
  details_status: 'good',
  privacy_center_details_status: 'good',
  publishable: true,
  template_data_examples: '[{"hostnames":"bank.example","address":"203.0.113.9","KOLIDE_CHECK_STATUS":"FAIL"}]',
  privacy_center_example_data: '[{"hostnames":"localhost","address":"127.0.0.1"}]',
  created_at: '2026-11-18T09:20:00.000Z',
  updated_at: '2026-11-19T15:02:41.118Z',
}

export const CustomCheckDraft = Type.Object(
  {
    id: Identifier('Identifier of the draft.'),
    name: Text('Name of the check to be.'),
    slug: Text('Short name of the check to be, fit for programs.'),
    description: Text('What the check looks at.'),
    issue_title: Text('Title of the issues that the check opens.'),
    osquery_sql: Text('The query, as a Liquid template of the options; blank for external checks.'),
    platforms: Type.Array(Choice(draftPlatforms, 'A platform.'), {
      description: 'The platforms that the check can run on.',
    }),
    rationale_template: Text('Why it matters, as a Liquid template in Markdown.'),
    fix_instructions_template: Text('How to put the failure right, as a Liquid template in Markdown.'),
    privacy_info: Text('What the check reads about people and their files, for the people themselves.'),
    check_type: Choice(
      ['osquery', 'external'],
      'Whether agents run the check or its results are reported from outside.',
    ),
    target_type: Choice(['devices', 'people'], 'Whether results are about devices or, for external checks, people.'),
    requires_primary_key: Flag('Whether one run may open several issues on a device.'),
    primary_key_column: Text('The column that tells the issues of one device apart; blank where there is one at most.'),
    published: Flag('Whether the draft has been published, and the check of it is there.'),
    custom_check_id: Identifier('The check that the draft was made from or published as; blank when there is none.'),
    osquery_sql_status: section('The query and its primary key'),
    notification_templates_status: section('What people read about a failure'),
    details_status: section('Name, slug, description and platforms'),
    privacy_center_details_status: section('What people read about the data that the check collects'),
    publishable: Flag('Whether every section is good.'),
    template_data_examples: JsonText('Rows that the templates are tried with, as JSON text of a list of objects.'),
    privacy_center_example_data: JsonText('Rows as the check collects them, as JSON text of a list of objects.'),
    created_at: Timestamp('When the draft was made.'),
    updated_at: Timestamp('When the draft last changed or was published.'),
  },
  {
    title: 'CustomCheckDraft',
    description: 'A check that the organization is writing.',
    examples: [customCheckDraftExample],
  },
)
export type CustomCheckDraft = Static<typeof CustomCheckDraft>

export const customCheckDraftSearch = {
  name: textField,
  slug: textField,
  created_at: timeField,
  id: textField,
} as const satisfies SearchFields
