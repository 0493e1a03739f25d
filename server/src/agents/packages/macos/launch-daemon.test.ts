import assert from 'node:assert/strict'
import { test } from 'node:test'
import { launchDaemon, propertyList } from './launch-daemon.ts'

/** Keys of launchd.plist(5) that a daemon of ours may have, with their types. No validator knows them: launchd passes over the rest. */
const known: Readonly<Record<string, string>> = {
  Label: 'string',
  ProgramArguments: 'array',
  RunAtLoad: 'boolean',
  KeepAlive: 'boolean',
  WorkingDirectory: 'string',
  Umask: 'integer',
  StandardOutPath: 'string',
  StandardErrorPath: 'string',
  ThrottleInterval: 'integer',
  ExitTimeOut: 'integer',
  ProcessType: 'string',
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return value.every((one) => typeof one === 'string') ? 'array' : 'mixed array'
  return typeof value === 'number' && Number.isInteger(value) ? 'integer' : typeof value
}

test('the LaunchDaemon has keys that launchd knows, with values of their types', () => {
  for (const [key, value] of Object.entries(launchDaemon)) assert.equal(typeOf(value), known[key], key)
  assert.equal(launchDaemon['KeepAlive'], true)
  assert.equal(launchDaemon['Umask'], 63)
  assert.equal(launchDaemon['EnvironmentVariables'], undefined)
})

/** The elements of a property list as a tree of names and texts. */
function parse(xml: string): string[] {
  const open: string[] = []
  const found: string[] = []
  for (const [, isEnd, name = '', isWhole, text = ''] of xml.matchAll(/<(\/?)([a-z]+)[^>]*?(\/?)>([^<]*)/g)) {
    if (isEnd) assert.equal(open.pop(), name)
    else if (!isWhole) open.push(name)
    if (!isEnd) found.push(text.trim() === '' ? name : `${name} ${text.trim()}`)
  }
  assert.deepEqual(open, [])
  return found
}

test('a property list closes what it opens and escapes what it says', () => {
  const list = propertyList({
    Label: 'a<b>&c',
    ProgramArguments: ['x', 'y z'],
    RunAtLoad: true,
    Umask: 63,
    KeepAlive: false,
  })
  assert.deepEqual(parse(list.slice(list.indexOf('<plist'))), [
    ...['plist', 'dict', 'key Label', 'string a&lt;b&gt;&amp;c'],
    ...['key ProgramArguments', 'array', 'string x', 'string y z'],
    ...['key RunAtLoad', 'true', 'key Umask', 'integer 63', 'key KeepAlive', 'false'],
  ])
})
