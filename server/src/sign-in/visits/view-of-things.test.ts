import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hostilePayloads } from '../../../test/support/hostile-payloads.ts'
import { drawFix, drawOwnerText } from './owner-text.ts'
import { type Around, viewOfThings } from './view-of-things.ts'
import type { IssueRow } from './view-queries.ts'

const now = '2026-11-20T10:00:00.000Z'
const around: Around = {
  now,
  recheckedAt: null,
  isRechecking: false,
  system: 'Debian GNU/Linux 12',
  isOwner: true,
  requests: [],
}

const issue = (columns: Partial<IssueRow> = {}): IssueRow => ({
  id: '1',
  check_id: '7',
  title: 'Apps are out of date',
  value: { KOLIDE_CHECK_STATUS: 'FAIL', path: '/opt/a', version: '1.0', note: '' },
  issue_key: 'path',
  issue_value: '/opt/a',
  blocks_device_at: '2026-11-20T09:00:00.000Z',
  resolved_at: null,
  hold_id: null,
  check_name: 'Apps are up to date',
  is_provided: true,
  options: {},
  option_definitions: {},
  snooze_disallowed: false,
  exemptions_disallowed: false,
  snoozed_at: null,
  snoozed_until: null,
  ran_at: now,
  rationale_template: 'Old versions have holes.',
  fix_instructions_template: '1. Update them.',
  ...columns,
})
const one = (columns: Partial<IssueRow>, more: Partial<Around> = {}) =>
  viewOfThings([issue(columns)], { ...around, ...more })[0] ?? assert.fail()

test('the issues of a check are one thing, with five rows and how many more there are', () => {
  const rows = Array.from({ length: 17 }, (_, index) =>
    issue({
      id: String(index + 1),
      issue_value: `/opt/${index}`,
      value: { KOLIDE_CHECK_STATUS: 'FAIL', version: '1.0', path: `/opt/${index}`, note: '' },
    }),
  )
  const [thing, ...others] = viewOfThings(rows, around)
  assert.deepEqual(others, [])
  assert.equal(thing?.issueIds.length, 17)
  assert.deepEqual(thing?.rows?.columns, ['Path', 'Version'])
  assert.deepEqual(thing?.rows?.rows[4], ['/opt/4', '1.0'])
  assert.deepEqual([thing?.rows?.rows.length, thing?.more], [5, 12])
})

test('what the texts of a check list is not listed once more', () => {
  assert.equal(
    one({ fix_instructions_template: '{% for row in rows %}- {{ row.path | code }}{% endfor %}' }).rows,
    null,
  )
  assert.equal(one({ issue_key: null, issue_value: null }).rows, null)
})

test('a thing blocks, will block, only advises, or is fixed', () => {
  assert.equal(one({}).standing, 'blocking')
  assert.equal(one({ blocks_device_at: '2026-11-25T09:00:00.000Z' }).standing, 'later')
  assert.equal(one({ blocks_device_at: null }).standing, 'advice')
  assert.deepEqual(
    [null, '3'].map((hold_id) => one({ blocks_device_at: null, hold_id }).isHeld),
    [false, true],
  )
  const fixed = one({ resolved_at: '2026-11-20T09:59:00.000Z' })
  assert.deepEqual(
    [fixed.standing, fixed.goodTitle, fixed.fixedAt],
    ['fixed', 'Apps are up to date', '2026-11-20T09:59:00.000Z'],
  )
})

test('a snooze is offered where it puts something off, once a week', () => {
  assert.deepEqual(one({}).snooze, { kind: 'offered' })
  assert.deepEqual(one({ snooze_disallowed: true }).snooze, { kind: 'none' })
  assert.deepEqual(one({ blocks_device_at: '2026-11-25T09:00:00.000Z' }).snooze, { kind: 'none' })
  const at = '2026-11-18T10:00:00.000Z'
  assert.deepEqual(one({ snoozed_at: at, snoozed_until: '2026-11-19T10:00:00.000Z' }).snooze, {
    kind: 'spent',
    againAt: '2026-11-25T10:00:00.000Z',
  })
  const until = '2026-11-20T20:00:00.000Z'
  assert.deepEqual(one({ snoozed_at: at, snoozed_until: until }).snooze, { kind: 'running', until })
})

test('an exemption is for the owner to ask for, and says what became of it', () => {
  const request = { id: '9', issue_id: '1', requested_at: now, denial_explanation: null, status: 'open' } as const
  assert.deepEqual(one({}).exemption, { kind: 'offered' })
  assert.deepEqual(one({}, { isOwner: false }).exemption, { kind: 'none' })
  assert.deepEqual(one({ exemptions_disallowed: true }).exemption, { kind: 'none' })
  assert.deepEqual(one({ blocks_device_at: '2026-11-25T09:00:00.000Z' }).exemption, { kind: 'offered' })
  assert.deepEqual(one({}, { requests: [request] }).exemption, { kind: 'asked', requestId: '9', at: now })
  const denied = { ...request, status: 'denied', denial_explanation: 'No.' } as const
  assert.deepEqual(one({}, { requests: [denied] }).exemption, { kind: 'refused', words: 'No.' })
  // What blocks nobody needs none, and one that was asked for is still shown.
  const advice = { blocks_device_at: null }
  assert.deepEqual(one(advice).exemption, { kind: 'none' })
  assert.deepEqual(one(advice, { requests: [denied] }).exemption, { kind: 'none' })
  assert.deepEqual(one(advice, { requests: [request] }).exemption, { kind: 'asked', requestId: '9', at: now })
})

test('the texts are those of the console: an option that is not set has its default', () => {
  const days = { title: 'Days', description: 'How long.', kind: 'integer', min: 1, max: 99, default: 14 }
  const { why } = one({ option_definitions: { days }, rationale_template: 'After {{ options.days }} days.' })
  assert.equal(why?.html.trim(), '<p>After 14 days.</p>')
})

test('one page renders no more than its allowance; the rest has its title', () => {
  const loop = (inner: string) => `{% for row in rows %}${inner}{% endfor %}`
  const long = loop(loop(loop(loop('{{ row.path }}'))))
  const rows = Array.from({ length: 500 }, (_, index) =>
    issue({ id: String(index), check_id: String(index % 100), rationale_template: `${index % 100} ${long}` }),
  )
  const things = viewOfThings(rows, around)
  assert.equal(things.length, 100)
  const told = things.filter(({ why }) => why !== null).length
  assert.ok(told > 0 && told < 50, `${told} texts`)
  assert.equal(things.at(-1)?.title, 'Apps are out of date')
})

test('fix instructions begin with the system of the device; a command has a line of its own', () => {
  const text = '### Fedora\n\n1. Run: `sudo dnf upgrade`.\n\n### Ubuntu and Debian\n\n1. Turn it on: `sudo ufw enable`.'
  const fix = drawFix(text, 'Debian GNU/Linux 12')
  assert.equal(fix?.system, 'Ubuntu and Debian')
  assert.match(fix?.steps.html ?? '', /<span class="cmd"><code>sudo ufw enable<\/code><button/)
  assert.deepEqual(
    fix?.others.map(({ system }) => system),
    ['Fedora'],
  )
  const unknown = drawFix(text, 'Plan 9')
  assert.deepEqual([unknown?.system, unknown?.others], [null, []])
  assert.match(unknown?.steps.html ?? '', /<h3>Fedora<\/h3>.*<h3>Ubuntu and Debian<\/h3>/s)
})

test('a text of a check runs nothing and shows no image, whatever a device reports', () => {
  for (const payload of hostilePayloads) {
    const template = 'Found {{ rows[0].path }} and {{ rows[0].path | code }}'
    const drawn = one({ rationale_template: template, value: { path: payload } }).why
    assert.match(drawn?.html ?? '', /^<p>Found/)
    assert.doesNotMatch(drawn?.html ?? '', /<(?!\/?(?:p|code|em|strong|a|ol|ul|li|h3|hr|br|span|button|blockquote)\b)/)
    assert.doesNotMatch(drawn?.html ?? '', /<a /)
  }
  assert.match(drawOwnerText('[Guide](https://example.com/a)')?.html ?? '', /rel="noreferrer"/)
  assert.doesNotMatch(drawOwnerText('[x](javascript:alert(1)) <img src=x>')?.html ?? '', /<a |<img/)
  assert.equal(one({ rationale_template: '{% for %}' }).why, null)
})
