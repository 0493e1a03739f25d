import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseTestArguments, selectFiles } from './parse-test-arguments.ts'

test('our flags, flags for node and file patterns are told apart', () => {
  const words = ['--embedded', 'server/src/lists', '--test-name-pattern', 'a page', '--test-only', '--test-timeout=5']
  assert.deepEqual(parseTestArguments(words), {
    isEmbedded: true,
    isBothEngines: false,
    isRecorded: false,
    isSoak: false,
    isFuzz: false,
    isChaos: false,
    isStrangers: false,
    patterns: ['server/src/lists'],
    nodeFlags: ['--test-name-pattern=a page', '--test-only', '--test-timeout=5'],
  })
})

test('a soak goes over both engines', () => {
  const { isSoak, isBothEngines } = parseTestArguments(['--soak'])
  assert.deepEqual({ isSoak, isBothEngines }, { isSoak: true, isBothEngines: true })
})

test('programs of others are asked for alone', () => {
  assert.equal(parseTestArguments(['--strangers', 'server/test/strangers']).isStrangers, true)
})

test('what can be broken since a revision is asked for with or without its name', () => {
  assert.equal(parseTestArguments([]).changedSince, undefined)
  assert.equal(parseTestArguments(['--changed']).changedSince, 'main')
  assert.equal(parseTestArguments(['--changed=HEAD~2']).changedSince, 'HEAD~2')
})

test('a pattern is a file, a folder or a glob, relative or absolute', () => {
  const files = ['agent/src/a.test.ts', 'server/src/lists/b.test.ts', 'server/src/lists-of/c.test.ts']
  const select = (...patterns: string[]) => selectFiles(files, patterns, process.cwd())
  assert.deepEqual(select(), files)
  assert.deepEqual(select('.'), files)
  assert.deepEqual(select('server/src/lists/'), ['server/src/lists/b.test.ts'])
  assert.deepEqual(select('./server/src/lists/b.test.ts'), ['server/src/lists/b.test.ts'])
  assert.deepEqual(select(`${process.cwd()}/agent`), ['agent/src/a.test.ts'])
  assert.deepEqual(select('**/c.test.ts', 'agent'), ['agent/src/a.test.ts', 'server/src/lists-of/c.test.ts'])
  assert.deepEqual(select('server/src/list'), [])
})
