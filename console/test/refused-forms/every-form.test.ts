import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { operations } from '@muster/contract/operations/all-operations.ts'
import { accountForms } from './account.ts'
import { connectionForms } from './connections.ts'
import { developerForms } from './developers.ts'
import { deviceForms } from './devices.ts'
import type { Form } from './form.ts'
import { recordForms } from './records.ts'
import { settingForms } from './settings.ts'

const walked: readonly Form[] = [
  ...accountForms,
  ...connectionForms,
  ...developerForms,
  ...deviceForms,
  ...recordForms,
  ...settingForms,
]

/** Files with a form that no walk sends, each with the reason. */
const exceptions: ReadonlyMap<string, string> = new Map([
  ['components/use-action.ts', 'says what a form is'],
  ['settings/use-settings.ts', 'each form that uses it is walked'],
  ['devices/use-steps.tsx', 'each form that uses it is walked'],
  ['checks/check-verbs.tsx', 'its form deletes a check; what has fields has no form'],
  ['people/deprovision-dialog.tsx', 'its form deprovisions a person; what has fields is Undo, which has no form'],
])

const src = fileURLToPath(new URL('../../src/', import.meta.url))
const bodies = operations as unknown as Readonly<Record<string, { readonly body?: unknown }>>
const textOf = (file: string): string => readFileSync(`${src}${file}`, 'utf8')

/** Whether something that it asks for has fields; what has none, such as the end of a record, is refused as a whole. */
function hasFields(text: string): boolean {
  if (/\buseSettings\(/.test(text)) return true
  const asked = [...text.matchAll(/\bapi\('(\w+)'/g)].map(([, name = '']) => name)
  return asked.length === 0 || asked.some((name) => bodies[name]?.body !== undefined)
}

const forms = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file))
  .filter((file) => /\bhasForm\b|\b(useSettings|useSteps|useMutation)\b/.test(textOf(file)) && hasFields(textOf(file)))
  .sort()

test('every form of the console that sends fields is walked with what the server refuses', () => {
  const known = new Set([...walked.map(({ of }) => of), ...exceptions.keys()])
  const strange = forms.filter((file) => !known.has(file))
  assert.deepEqual(strange, [], 'add them to a list in this folder, or to the exceptions with a reason')
})

test('every form that is walked, or is an exception, is in the console', () => {
  const known = [...walked.map(({ of }) => of), ...exceptions.keys()]
  assert.deepEqual(
    known.filter((file) => !forms.includes(file)),
    [],
  )
})

test('every form that is walked sends what its file asks for', () => {
  const others = walked.filter(({ of, operation }) => {
    const asked = [...textOf(of).matchAll(/\bapi\('(\w+)'/g)].map(([, name]) => name)
    return asked.length > 0 && !asked.includes(operation) && !/\buseSettings\(/.test(textOf(of))
  })
  assert.deepEqual(
    others.map(({ what }) => what),
    [],
  )
})
