import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { versionCompare } from './version-compare.ts'

type Case = [left: string, right: string, order: number]

function check(flavor: string, cases: Case[]): void {
  for (const [left, right, order] of cases) {
    assert.equal(versionCompare(left, right, flavor), order, `${left} ${right}`)
    assert.equal(versionCompare(right, left, flavor), order === 0 ? 0 : -order, `${right} ${left}`)
  }
}

test('plain versions compare number by number', () => {
  check('', [
    ['1.10', '1.9', 1],
    ['15.7.0', '15.7.0', 0],
    ['15.07', '15.7', 0],
    ['14.8', '14.8.1', -1],
    ['140.0.7339.80', '140.0.0.0', 1],
    ['12.0', '12.0', 0],
    ['22.4', '22.04', 0],
    ['2.0', '2.0~rc1', 1],
    ['99999999999999999999', '100000000000000000000', -1],
  ])
})

test('rpm versions compare by epoch, version and release', () => {
  check('RHEL', [
    ['1:1.0-1', '2.0-1', 1],
    ['1.0-2.el9', '1.0-10.el9', -1],
    ['1.0~beta', '1.0', -1],
  ])
})

const debianCases: Case[] = [
  ['1.0', '1.0-1', -1],
  ['1:0.1', '9.9', 1],
  ['1.0~rc1-1', '1.0-1', -1],
  ['2.36-9+deb12u9', '2.36-9+deb12u10', -1],
  ['1.2.3', '1.2.3', 0],
  ['1.2a', '1.2+', -1],
  ['0.9.8zh', '0.9.8g', 1],
  ['1.0-1ubuntu1', '1.0-1', 1],
  ['7.4.052-1+b1', '7.4.52-1', 1],
]

test('Debian versions compare by the policy', () => check('DPKG', debianCases))

test('dpkg agrees with the order of Debian versions', (t) => {
  if (spawnSync('dpkg', ['--version']).status !== 0) return t.skip('dpkg is not here')
  for (const [left, right, order] of debianCases) {
    const relation = order < 0 ? 'lt' : order > 0 ? 'gt' : 'eq'
    assert.equal(spawnSync('dpkg', ['--compare-versions', left, relation, right]).status, 0, `${left} ${right}`)
  }
})
