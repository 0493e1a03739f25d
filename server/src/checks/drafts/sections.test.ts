import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type DraftFields, emptyDraft } from './draft-fields.ts'
import { judgeSections, type SectionName, sectionNames } from './sections.ts'

const options: DraftFields['option_definitions'] = {
  level: { kind: 'integer', title: 'Level', description: 'A number.', default: 5, min: 0, max: 9 },
}
const complete: DraftFields = {
  ...emptyDraft,
  name: 'Hosts file is untouched',
  slug: 'hosts-file-untouched',
  description: 'Looks for names in the hosts file that lead elsewhere.',
  platforms: ['darwin', 'linux'],
  option_definitions: options,
  osquery_sql: `SELECT hostnames, CASE WHEN address LIKE '127.%' THEN 'PASS' ELSE 'FAIL' END AS KOLIDE_CHECK_STATUS
FROM etc_hosts WHERE length(hostnames) > {{ options.level | sql_integer }}`,
  requires_primary_key: true,
  primary_key_column: 'hostnames',
  issue_title: 'The hosts file redirects a name',
  rationale_template: 'A name that leads elsewhere can send your password to a stranger.',
  fix_instructions_template: '1. Remove {% for row in rows %}{{ row.hostnames | code }} {% endfor %}from the file.',
  template_data_examples: '[{"hostnames":"bank.example"}]',
  privacy_info: 'Names and addresses in the hosts file.',
  privacy_center_example_data: '[{"hostnames":"localhost"}]',
}
const external = { check_type: 'external', osquery_sql: '' } as const
const loop = '{% for a in (1..1000000000) %}x{% endfor %}'
const nested = '{% for a in (1..9999) %}{% for b in (1..9999) %}x{% endfor %}{% endfor %}'

test('a complete draft is good in every section', () => {
  const sections = judgeSections(complete)
  for (const name of sectionNames) assert.deepEqual(sections[name], { status: 'good', reasons: [] }, name)
})

test('an empty draft is missing in every section', () => {
  const sections = judgeSections(emptyDraft)
  assert.deepEqual(sections, {
    osquery_sql: { status: 'missing', reasons: ['osquery_sql is missing'] },
    notification_templates: {
      status: 'missing',
      reasons: ['issue_title is missing', 'rationale_template is missing', 'fix_instructions_template is missing'],
    },
    details: {
      status: 'missing',
      reasons: ['name is missing', 'slug is missing', 'description is missing', 'platforms is missing'],
    },
    privacy_center_details: { status: 'missing', reasons: ['privacy_info is missing'] },
  })
})

const good: [what: string, fields: Partial<DraftFields>][] = [
  ['an external check without SQL', external],
  ['an external check whose left-over SQL is no SQL', { ...external, osquery_sql: 'gibberish' }],
  ['an external check about people, on whatever they have', { ...external, target_type: 'people', platforms: [] }],
  ['one row without a key', { requires_primary_key: false, primary_key_column: '' }],
  ['a star that may have the key', { osquery_sql: `SELECT *, 'PASS' AS KOLIDE_CHECK_STATUS FROM etc_hosts` }],
  ['a text that names options', { rationale_template: 'At most {{ options.level }}.' }],
  ['a text that looks at its rows', { fix_instructions_template: '{% if rows.size < 2 %}One{% endif %}' }],
  ['HTML as code', { rationale_template: 'Write `<b>`.' }],
]
for (const [what, fields] of good) {
  test(`good: ${what}`, () => {
    const sections = judgeSections({ ...complete, ...fields })
    for (const name of sectionNames) assert.deepEqual(sections[name], { status: 'good', reasons: [] }, name)
  })
}

const faulty: [section: SectionName, status: 'missing' | 'bad', fields: Partial<DraftFields>, reason: RegExp][] = [
  ['osquery_sql', 'missing', { osquery_sql: ' \n' }, /^osquery_sql is missing$/],
  ['osquery_sql', 'missing', { primary_key_column: '' }, /^primary_key_column is missing$/],
  ['osquery_sql', 'missing', { ...external, primary_key_column: '' }, /^primary_key_column is missing$/],
  ['osquery_sql', 'bad', { osquery_sql: 'select' }, /^osquery_sql: The SQL cannot be used/],
  ['osquery_sql', 'bad', { osquery_sql: 'delete from users' }, /must be one SELECT/],
  ['osquery_sql', 'bad', { osquery_sql: `select 'PASS' as KOLIDE_CHECK_STATUS; select 1` }, /more than one statement/],
  ['osquery_sql', 'bad', { osquery_sql: 'select hostnames from etc_hosts' }, /gives no column KOLIDE_CHECK_STATUS$/],
  ['osquery_sql', 'bad', { osquery_sql: 'select * from etc_hosts' }, /gives no column KOLIDE_CHECK_STATUS$/],
  [
    'osquery_sql',
    'bad',
    { osquery_sql: `select 'PASS' as kolide_check_status` },
    /gives no column KOLIDE_CHECK_STATUS$/,
  ],
  ['osquery_sql', 'bad', { primary_key_column: 'address' }, /^osquery_sql gives no column address$/],
  ['osquery_sql', 'bad', { primary_key_column: 'KOLIDE_CHECK_STATUS' }, /must not be KOLIDE_CHECK_STATUS$/],
  ['osquery_sql', 'bad', { primary_key_column: 'a\u0007' }, /control characters$/],
  ['osquery_sql', 'bad', { osquery_sql: 'select {{ options.level }}' }, /Line 1: a value needs one of the filters/],
  ['osquery_sql', 'bad', { osquery_sql: 'select {{ options.other | sql_text }}' }, /^osquery_sql: Line 1: undefined/],
  ['osquery_sql', 'bad', { osquery_sql: 'select {% if' }, /^osquery_sql: Line 1: /],
  ['osquery_sql', 'bad', { osquery_sql: loop }, /^osquery_sql: Line 1: tag "for" not found/],
  ['osquery_sql', 'bad', { osquery_sql: 'select 1 \u0007' }, /control character/],
  ...['curl', 'process_envs', 'shell_history', 'carves'].map((table): (typeof faulty)[number] => [
    'osquery_sql',
    'bad',
    { osquery_sql: `select 'PASS' as KOLIDE_CHECK_STATUS, 1 as hostnames from ${table.toUpperCase()}` },
    new RegExp(`^osquery_sql reads ${table}, which checks must not$`),
  ]),
  ['notification_templates', 'missing', { issue_title: ' ' }, /^issue_title is missing$/],
  ['notification_templates', 'bad', { issue_title: 'A\u001bB' }, /^issue_title has control characters$/],
  ['notification_templates', 'bad', { issue_title: 'Is {{ options.level }}' }, /^issue_title is shown as it is/],
  [
    'notification_templates',
    'bad',
    { rationale_template: '{{ options.other }}' },
    /^rationale_template: Line 1: undefined/,
  ],
  ['notification_templates', 'bad', { rationale_template: 'a\n{% nonsense %}' }, /^rationale_template: Line 2: tag/],
  [
    'notification_templates',
    'bad',
    { rationale_template: 'Press <b>here</b>' },
    /must not have HTML such as <b>here<\/b>$/,
  ],
  ['notification_templates', 'bad', { rationale_template: '{% include "x" %}' }, /tag "include" not found/],
  [
    'notification_templates',
    'bad',
    { fix_instructions_template: '{% for row in rows %}{{ row.address }}{% endfor %}' },
    /^fix_instructions_template: Line 1: undefined variable: row.address \(with template_data_examples\)$/,
  ],
  ['notification_templates', 'bad', { fix_instructions_template: '{{ rows[0].hostnames }}' }, /\(without rows\)$/],
  ['notification_templates', 'bad', { rationale_template: loop }, /lists or texts that are too large/],
  ['notification_templates', 'bad', { rationale_template: nested }, /more than 10000 operations/],
  ['notification_templates', 'bad', { template_data_examples: '{"a":"b"}' }, /must be a list of objects/],
  ['notification_templates', 'bad', { template_data_examples: '[{"a":1}]' }, /whose values are texts$/],
  [
    'notification_templates',
    'bad',
    { template_data_examples: JSON.stringify(Array(101).fill({})) },
    /more than 100 rows$/,
  ],
  ['details', 'missing', { name: ' ' }, /^name is missing$/],
  ['details', 'missing', { slug: '' }, /^slug is missing$/],
  ['details', 'missing', { description: '' }, /^description is missing$/],
  ['details', 'missing', { platforms: [] }, /^platforms is missing$/],
  ['details', 'bad', { slug: 'Hosts File' }, /^slug must be lower-case/],
  ['details', 'bad', { slug: 'a--b' }, /^slug must be lower-case/],
  ['details', 'bad', { name: 'a\nb' }, /^name has control characters$/],
  ['details', 'bad', { target_type: 'people' }, /^only an external check/],
  ['details', 'bad', { slug: 'A', description: '' }, /^slug must be lower-case/],
  ['privacy_center_details', 'missing', { privacy_info: '' }, /^privacy_info is missing$/],
  ['privacy_center_details', 'bad', { privacy_info: '<i>' }, /HTML/],
  ['privacy_center_details', 'bad', { privacy_center_example_data: '"a"' }, /must be a list of objects/],
]
for (const [section, status, fields, reason] of faulty) {
  test(`${section} is ${status}: ${JSON.stringify(fields).slice(0, 90)}`, () => {
    const { [section]: judged, ...others } = judgeSections({ ...complete, ...fields })
    assert.equal(judged.status, status, judged.reasons.join('; '))
    assert.ok(
      judged.reasons.some((one) => reason.test(one)),
      judged.reasons.join('; '),
    )
    for (const other of Object.values(others)) assert.deepEqual(other, { status: 'good', reasons: [] })
  })
}
