import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkFixtures } from '@muster/agent/simulate/check-fixtures.ts'
import { answerQuery, type MissingText, type Tables } from '../../../test/support/check-fixtures/osquery-database.ts'
import { optionFault } from '../../compliance/templates/option-kinds.ts'
import { parseOptions } from '../../compliance/templates/options.ts'
import { renderSql } from '../../compliance/templates/render-sql.ts'
import { renderText } from '../../compliance/templates/render-text.ts'
import { catalogue } from './catalogue.ts'
import type { CatalogueCheck } from './catalogue-check.ts'

const statuses = ['PASS', 'FAIL', 'UNKNOWN', 'INAPPLICABLE', 'ERROR']
const missingTexts: MissingText[] = ['', null]

function run(check: CatalogueCheck, tables: Tables, missingText: MissingText = '') {
  return answerQuery(renderSql(check.sql, check.options, {}), tables, missingText)
}

function statusesOf(check: CatalogueCheck, tables: Tables, missingText: MissingText = ''): string[] {
  return run(check, tables, missingText).map((row) => String(row['KOLIDE_CHECK_STATUS']))
}

function fixtureOf(check: CatalogueCheck) {
  const fixture = checkFixtures[check.slug]
  assert.ok(fixture, `${check.slug} has no fixture`)
  return fixture
}

function defaultOptions(check: CatalogueCheck) {
  const parsed = parseOptions(check.options, {})
  return 'ok' in parsed ? parsed.ok : assert.fail(JSON.stringify(parsed.errors))
}

for (const check of catalogue) {
  test(`${check.slug} passes on its passing fixture`, () => {
    for (const missingText of missingTexts) {
      const answered = statusesOf(check, fixtureOf(check).pass, missingText)
      assert.ok(answered.includes('PASS'), answered.join())
      assert.deepEqual(
        answered.filter((status) => status !== 'PASS' && status !== 'INAPPLICABLE'),
        [],
      )
    }
  })

  test(`${check.slug} fails on its failing fixture and names what fails`, () => {
    for (const missingText of missingTexts) {
      const rows = run(check, fixtureOf(check).fail, missingText)
      assert.ok(rows.every((row) => statuses.includes(String(row['KOLIDE_CHECK_STATUS']))))
      const failing = rows.filter((row) => row['KOLIDE_CHECK_STATUS'] === 'FAIL')
      assert.ok(failing.length > 0, JSON.stringify(rows))
      if (check.primaryKeyColumn === null) assert.equal(rows.length, 1)
      const column = check.primaryKeyColumn
      if (column === null) continue
      const keys = failing.map((row) => row[column])
      assert.ok(
        keys.every((key) => typeof key === 'string' && key !== '' && key !== 'none'),
        keys.join(),
      )
      assert.equal(new Set(keys).size, keys.length)
    }
  })

  test(`${check.slug} neither passes nor fails without any collected row`, () => {
    const expected = ['UNKNOWN', 'INAPPLICABLE']
    const answered = statusesOf(check, {})
    assert.ok(answered.length > 0 && answered.every((status) => expected.includes(status)), answered.join())
  })

  test(`${check.slug} has texts that render with and without failing rows`, () => {
    const options = defaultOptions(check)
    const failing = run(check, fixtureOf(check).fail).filter((row) => row['KOLIDE_CHECK_STATUS'] === 'FAIL')
    for (const rows of [[], failing]) {
      for (const template of [check.rationale, check.fixInstructions]) {
        const text = renderText(template, { options, rows })
        assert.doesNotMatch(text, /\{\{|\{%|undefined|\[object|``$/m)
        assert.ok(text.length > 60, text)
      }
      assert.match(renderText(check.fixInstructions, { options, rows }), /^1\. /m)
    }
  })

  test(`${check.slug} is described in plain, complete words`, () => {
    assert.match(check.slug, /^[a-z0-9]+(-[a-z0-9]+)*$/)
    assert.ok(check.issueTitle.length <= 80 && !check.issueTitle.endsWith('.'))
    assert.ok(check.name.length <= 80 && check.description.endsWith('.') && check.topics.length > 0)
    const sentences = check.rationale.match(/[.?!](\s|$)/g) ?? []
    assert.ok(sentences.length >= 2 && sentences.length <= 4, `${sentences.length} sentences`)
    for (const definition of Object.values(check.options)) {
      assert.equal(optionFault(definition, definition.default, 'default'), undefined)
    }
  })
}

test('there are 51 checks, each with its own slug and one fixture', () => {
  const slugs = catalogue.map((check) => check.slug)
  assert.equal(slugs.length, 51)
  assert.equal(new Set(slugs).size, 51)
  assert.deepEqual(Object.keys(checkFixtures).sort(), [...slugs].sort())
})

for (const platform of ['darwin', 'windows', 'linux'] as const) {
  test(`at least eight checks run from the first start on ${platform}`, () => {
    const enabled = catalogue.filter((check) => check.enabledByDefault && check.platforms.includes(platform))
    assert.ok(enabled.length >= 8, `${enabled.length}`)
  })
}

test('checks that need to know the organization wait for it', () => {
  const waiting = [
    'browser-extension-deny-list',
    'linux-exposed-services',
    'linux-required-service',
    'macos-password-manager',
    'osquery-up-to-date',
  ]
  for (const slug of waiting) {
    assert.deepEqual(
      catalogue.filter((check) => check.slug === slug).map((check) => check.enabledByDefault),
      [false],
      slug,
    )
  }
})
