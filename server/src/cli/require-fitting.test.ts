import assert from 'node:assert/strict'
import { test } from 'node:test'
import Type from 'typebox'
import { moment, recordId } from './commands/shared-members.ts'
import { dataGroups } from './data-groups.ts'
import { isFlag, schemaOf } from './describe-commands.ts'
import { requireFitting } from './require-fitting.ts'

const inAnyForm =
  'must be an ISO 8601 date and time with a time zone, such as 2026-01-31T09:30:00Z or 2026-01-31T15:00:00+05:30'

const schema = Type.Object({
  id: recordId,
  expiresAt: Type.Optional(moment),
  parts: Type.Optional(Type.Array(Type.String({ minLength: 1 }), { maxItems: 2 })),
  count: Type.Optional(Type.Integer({ minimum: 1, maximum: 9 })),
  size: Type.Optional(Type.Enum(['small', 'large'])),
  until: Type.Optional(Type.Union([moment, Type.Null()])),
})

const faultsOf = (args: object): string => {
  try {
    requireFitting(schema, { id: '5', ...args }, (member) => (member === 'expiresAt' ? '--expires-at' : member))
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  return 'none'
}

test('what does not fit is said in plain words, under the name that is typed', () => {
  const cases: [args: object, fault: string][] = [
    [{}, 'none'],
    [{ id: 'abc' }, 'error: id must be an identifier, which is digits'],
    [{ id: 5 }, 'error: id must be a string'],
    [{ parts: [''] }, 'error: parts must not be empty'],
    [{ parts: ['a', 'b', 'c'] }, 'error: parts must have at most 2 items'],
    [{ count: 0 }, 'error: count must be at least 1'],
    [{ count: Number.NaN }, 'error: count must be a whole number'],
    [{ size: 'huge' }, 'error: size must be one of small, large'],
    [{ until: 'soon' }, `error: until ${inAnyForm}`],
    [{ id: 'abc', count: 10 }, 'error: id must be an identifier, which is digits\nerror: count must be at most 9'],
  ]
  for (const [args, fault] of cases) assert.equal(faultsOf(args), fault)
})

test('a moment needs a time zone, and one that lacks it alone is told so', () => {
  for (const expiresAt of ['2026-12-01', '2026-12-01T00:00:00+0530', '2026-13-01T00:00:00', 'tomorrow', '']) {
    assert.equal(faultsOf({ expiresAt }), `error: --expires-at ${inAnyForm}`, expiresAt)
  }
  for (const expiresAt of ['2026-12-01T00:00:00', '2026-12-01T00:00:00.5']) {
    const lacking = `has no time zone: write ${expiresAt}Z for UTC, or an offset in place of the Z, such as +05:30`
    assert.equal(faultsOf({ expiresAt }), `error: --expires-at ${lacking}`)
  }
  for (const expiresAt of ['2026-12-01T00:00:00Z', '2026-12-01T00:00:00.5z', '2026-12-01T09:00:00+05:30']) {
    assert.equal(faultsOf({ expiresAt }), 'none', expiresAt)
  }
})

/** Every schema below one, itself included. */
function* within(node: unknown): Generator<Record<string, unknown>> {
  if (typeof node !== 'object' || node === null) return
  yield node as Record<string, unknown>
  for (const inner of Object.values(node)) yield* within(inner)
}

test('every pattern of what is typed says in words what it wants', async () => {
  let patterns = 0
  for (const { name, describe } of dataGroups) {
    for (const group of await describe()) {
      for (const [key, one] of Object.entries(group.commands)) {
        if (typeof one === 'function') continue
        // What a file holds is judged where it is read.
        const typed = Object.values(one.typed).filter((member) => !isFlag(member) || member.read === undefined)
        for (const inner of typed.flatMap((member) => [...within(schemaOf(member))])) {
          if (typeof inner['pattern'] !== 'string') continue
          patterns += 1
          assert.equal(typeof inner['form'], 'string', `${name} ${key}: ${inner['pattern']}`)
        }
      }
    }
  }
  assert.ok(patterns > 40)
})
