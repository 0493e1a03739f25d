import assert from 'node:assert/strict'
import { test } from 'node:test'
import { applyPatch } from './apply-patch.ts'
import { readOperations } from './read-operations.ts'
import { ScimError } from './scim-error.ts'
import { enterpriseUrn, userAttributes, userUrn } from './user-schema.ts'

const patchUrn = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'

const ada = {
  userName: 'ada',
  name: { givenName: 'Ada', familyName: 'Lovelace' },
  emails: [
    { value: 'ada@work.example', type: 'work', primary: true },
    { value: 'ada@home.example', type: 'home' },
  ],
  phoneNumbers: [{ value: '1', type: 'work' }],
}

const patched = (...operations: unknown[]) =>
  applyPatch(userAttributes, userUrn, ada, readOperations({ schemas: [patchUrn], Operations: operations }))

/** What differs from Ada as she was; undefined for what is gone. */
function changes(...operations: unknown[]): Record<string, unknown> {
  const before: Record<string, unknown> = ada
  const after = patched(...operations)
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return Object.fromEntries(
    names
      .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
      .map((name) => [name, after[name]]),
  )
}

const [work, home] = ada.emails

const cases: [title: string, operation: object, changed: Record<string, unknown>][] = [
  ['add sets what is not there', { op: 'add', path: 'nickName', value: 'Babs' }, { nickName: 'Babs' }],
  ['add replaces a single value', { op: 'add', path: 'userName', value: 'babs' }, { userName: 'babs' }],
  [
    'add without a path merges',
    { op: 'add', value: { emails: [{ value: 'x@y.example' }], nickname: 'Babs' } },
    { emails: [work, home, { value: 'x@y.example' }], nickName: 'Babs' },
  ],
  ['add of what is there changes nothing', { op: 'add', path: 'emails', value: [home] }, {}],
  [
    'a new primary value takes that from the one before',
    { op: 'add', path: 'emails', value: [{ value: 'new@y.example', primary: true }] },
    { emails: [{ ...work, primary: false }, home, { value: 'new@y.example', primary: true }] },
  ],
  [
    'a value becomes primary by its path',
    { op: 'replace', path: 'emails[type eq "home"].primary', value: true },
    {
      emails: [
        { ...work, primary: false },
        { ...home, primary: true },
      ],
    },
  ],
  [
    'replace of a complex attribute keeps the parts that are not named',
    { op: 'replace', path: 'name', value: { givenName: 'Augusta' } },
    { name: { givenName: 'Augusta', familyName: 'Lovelace' } },
  ],
  [
    'replace of all values',
    { op: 'replace', path: 'emails', value: [{ value: 'x@y.example' }] },
    { emails: [{ value: 'x@y.example' }] },
  ],
  [
    'replace of the value that a filter finds',
    { op: 'replace', path: 'emails[type eq "WORK"]', value: { value: 'x@y.example' } },
    { emails: [{ ...work, value: 'x@y.example' }, home] },
  ],
  [
    'replace of what is not there adds it, for what the filter says',
    { op: 'Replace', path: 'phoneNumbers[type eq "mobile"].value', value: '2' },
    { phoneNumbers: [...ada.phoneNumbers, { type: 'mobile', value: '2' }] },
  ],
  [
    'so it does of an attribute without values',
    { op: 'replace', path: 'addresses[type eq "work"].locality', value: 'London' },
    { addresses: [{ type: 'work', locality: 'London' }] },
  ],
  [
    'of several values, and of a whole one',
    { op: 'replace', path: 'emails[type eq "other"]', value: { value: 'o@y.example' } },
    { emails: [work, home, { type: 'other', value: 'o@y.example' }] },
  ],
  [
    'by whether it is the primary one',
    { op: 'replace', path: 'roles[primary eq "True"].value', value: 'Countess' },
    { roles: [{ primary: true, value: 'Countess' }] },
  ],
  [
    'by its value',
    { op: 'replace', path: 'entitlements[value eq "e1"].display', value: 'One' },
    { entitlements: [{ value: 'e1', display: 'One' }] },
  ],
  [
    'by several parts, and then takes being primary from the one before',
    { op: 'replace', path: 'emails[type eq "other" and primary eq true].value', value: 'o@y.example' },
    { emails: [{ ...work, primary: false }, home, { type: 'other', primary: true, value: 'o@y.example' }] },
  ],
  [
    'by a path in a value without path',
    { op: 'replace', value: { 'phoneNumbers[type eq "fax"].value': '3', title: 'Countess' } },
    { phoneNumbers: [...ada.phoneNumbers, { type: 'fax', value: '3' }], title: 'Countess' },
  ],
  [
    'replace of what is not there by nothing',
    { op: 'replace', path: 'emails[type eq "other"].value', value: null },
    {},
  ],
  ['replace of what is not there by a blank', { op: 'replace', path: 'ims[type eq "work"].value', value: '' }, {}],
  [
    'what says nothing does not become primary',
    { op: 'replace', path: 'emails[type eq "other"].primary', value: true },
    {},
  ],
  [
    'a new primary value takes that from the same address',
    { op: 'add', path: 'emails', value: [{ value: 'ada@work.example', primary: true }] },
    { emails: [{ ...work, primary: false }, home, { value: 'ada@work.example', primary: true }] },
  ],
  [
    'replace of a value by JSON text',
    { op: 'replace', path: 'emails[type eq "work"]', value: '{"value":"x@y.example","type":"work","primary":"True"}' },
    { emails: [{ ...work, value: 'x@y.example' }, home] },
  ],
  [
    'replace of a value by a bare text keeps what it is for',
    { op: 'replace', path: 'emails[type eq "work"]', value: 'x@y.example' },
    { emails: [{ ...work, value: 'x@y.example' }, home] },
  ],
  [
    'replace of all values by a list of JSON texts',
    { op: 'replace', path: 'emails', value: ['{"value":"x@y.example"}', '{"value":"z@y.example","type":"home"}'] },
    { emails: [{ value: 'x@y.example' }, { value: 'z@y.example', type: 'home' }] },
  ],
  [
    'replace of all values by the JSON text of a list',
    { op: 'replace', path: 'emails', value: ' [{"value":"x@y.example"}, "z@y.example"]' },
    { emails: [{ value: 'x@y.example' }, { value: 'z@y.example' }] },
  ],
  [
    'add of a complex value by JSON text merges',
    { op: 'add', path: 'name', value: '{"middleName":"K"}' },
    { name: { ...ada.name, middleName: 'K' } },
  ],
  [
    'a part of the resource by JSON text',
    { op: 'replace', value: '{"nickName":"Babs","name":{"givenName":"Augusta"}}' },
    { nickName: 'Babs', name: { ...ada.name, givenName: 'Augusta' } },
  ],
  [
    'JSON text that has no part of the value is text',
    { op: 'add', path: 'entitlements', value: ['{"app":"x"}', '[not JSON'] },
    { entitlements: [{ value: '{"app":"x"}' }, { value: '[not JSON' }] },
  ],
  [
    'JSON text in a plain attribute stays text',
    { op: 'add', path: 'title', value: '{"value":"x"}' },
    { title: '{"value":"x"}' },
  ],
  [
    'replace of a part of every value',
    { op: 'replace', path: 'emails.display', value: 'Ada' },
    {
      emails: [
        { ...work, display: 'Ada' },
        { ...home, display: 'Ada' },
      ],
    },
  ],
  [
    'replace of an attribute of the extension',
    { op: 'replace', path: `${enterpriseUrn}:manager.displayName`, value: 'Eve' },
    { [enterpriseUrn]: { manager: { displayName: 'Eve' } } },
  ],
  [
    'the extension as a whole',
    { op: 'add', path: enterpriseUrn, value: { department: 'Research' } },
    { [enterpriseUrn]: { department: 'Research' } },
  ],
  [
    'the prefix of the core schema',
    { op: 'add', path: `${userUrn}:name.middleName`, value: 'K' },
    { name: { ...ada.name, middleName: 'K' } },
  ],
  ['remove of an attribute', { op: 'remove', path: 'NAME.FAMILYNAME' }, { name: { givenName: 'Ada' } }],
  ['remove of all values', { op: 'remove', path: 'emails' }, { emails: undefined }],
  [
    'remove of those a filter finds',
    { op: 'remove', path: 'emails[type eq "work" and value ew "work.example"]' },
    { emails: [home] },
  ],
  ['remove of the last value', { op: 'remove', path: 'phoneNumbers[value eq "1"]' }, { phoneNumbers: undefined }],
  [
    'remove of values by themselves',
    { op: 'remove', path: 'emails', value: [{ value: 'ada@work.example' }] },
    { emails: [home] },
  ],
  ['remove of what is not there', { op: 'remove', path: 'emails[type eq "other"]' }, {}],
  [
    'null takes away',
    { op: 'replace', value: { phoneNumbers: null, name: { givenName: null } } },
    { phoneNumbers: undefined, name: { familyName: 'Lovelace' } },
  ],
  ['an unknown attribute without a path is left out', { op: 'add', value: { shoeSize: 7, id: '9' } }, {}],
  ['a bracket in a string ends no filter', { op: 'remove', path: 'emails[value eq "]\\""]' }, {}],
]

for (const [title, operation, changed] of cases) {
  test(`${title} (RFC 7644 §3.5.2)`, () => assert.deepEqual(changes(operation), changed))
}

test('a bare manager is another one, of whom nothing is kept', () => {
  const before = { userName: 'ada', [enterpriseUrn]: { manager: { value: '1', displayName: 'Eve' } } }
  const operations = [{ op: 'replace', path: `${enterpriseUrn}:manager`, value: '2' }]
  const body = { schemas: [patchUrn], Operations: operations }
  const after = applyPatch(userAttributes, userUrn, before, readOperations(body))
  assert.deepEqual(after, { userName: 'ada', [enterpriseUrn]: { manager: { value: '2' } } })
})

test('operations see what those before them did, and what was given stays as it was', () => {
  const before = structuredClone(ada)
  const operations = [
    { op: 'add', path: 'emails[type eq "other"].value', value: 'o@y.example' },
    { op: 'replace', path: 'emails[type eq "other"].display', value: 'O' },
  ]
  assert.deepEqual(changes(...operations), {
    emails: [work, home, { type: 'other', value: 'o@y.example', display: 'O' }],
  })
  assert.deepEqual(ada, before)
})

const refusals: [operation: unknown, scimType: string][] = [
  [{ op: 'replace', path: 'emails[type sw "other"].value', value: 'x' }, 'noTarget'],
  [{ op: 'replace', path: 'emails[type eq "other" or type eq "office"].value', value: 'x' }, 'noTarget'],
  [{ op: 'replace', path: 'emails[type eq "other" and value ew "x"].value', value: 'x' }, 'noTarget'],
  [{ op: 'replace', path: 'emails[not (type eq "work" or type eq "home")].value', value: 'x' }, 'noTarget'],
  [{ op: 'replace', path: 'emails[type eq "other" and type eq "office"].value', value: 'x' }, 'noTarget'],
  [{ op: 'replace', path: 'ims[type eq null].value', value: 'x' }, 'noTarget'],
  [{ op: 'replace', path: 'ims[colour eq "red"].value', value: 'x' }, 'invalidFilter'],
  [{ op: 'replace', path: 'name', value: '["Ada"]' }, 'invalidValue'],
  [{ op: 'add', path: 'emails[type ne "other"].value[', value: 'x' }, 'invalidPath'],
  [{ op: 'add', path: 'emails[type sw "other"].value', value: 'x' }, 'noTarget'],
  [{ op: 'remove', path: 'emails[colour eq "red"]' }, 'invalidFilter'],
  [{ op: 'remove', path: 'emails[type gt "a"]' }, 'invalidFilter'],
  [{ op: 'remove', path: 'emails[emails[type eq "a"]]' }, 'invalidFilter'],
  [{ op: 'remove', path: `emails[type eq "${'\n'.repeat(900)}]` }, 'invalidPath'],
  [{ op: 'remove', path: 'name[givenName eq "Ada"]' }, 'invalidPath'],
  [{ op: 'remove', path: 'shoeSize' }, 'invalidPath'],
  [{ op: 'remove', path: 'userName.length' }, 'invalidPath'],
  [{ op: 'remove', path: 'name..givenName' }, 'invalidPath'],
  [{ op: 'remove', path: 'x'.repeat(1_001) }, 'invalidPath'],
  [{ op: 'remove', path: 7 }, 'invalidPath'],
  [{ op: 'remove' }, 'noTarget'],
  [{ op: 'add', path: 'title' }, 'invalidValue'],
  [{ op: 'add', value: 'x' }, 'invalidValue'],
  [{ op: 'add', path: 'title', value: { a: 1 } }, 'invalidValue'],
  [{ op: 'add', path: 'title', value: 'a\0b' }, 'invalidValue'],
  [{ op: 'add', path: 'active', value: 'perhaps' }, 'invalidValue'],
  [{ op: 'add', path: 'name', value: ['Ada'] }, 'invalidValue'],
  [
    {
      op: 'add',
      path: 'emails',
      value: [
        { value: 'a', primary: true },
        { value: 'b', primary: true },
      ],
    },
    'invalidValue',
  ],
  [
    { op: 'add', path: 'emails', value: Array.from({ length: 201 }, (_, index) => ({ value: `${index}` })) },
    'invalidValue',
  ],
  [{ op: 'move', path: 'title', value: 'x' }, 'invalidSyntax'],
  [{ op: 'constructor', path: 'title', value: 'x' }, 'invalidSyntax'],
  ['add', 'invalidSyntax'],
]

for (const [operation, scimType] of refusals) {
  test(`${JSON.stringify(operation).slice(0, 90)} is refused with ${scimType}`, () => {
    assert.throws(
      () => patched(operation),
      (error) => error instanceof ScimError && error.status === 400 && error.scimType === scimType,
    )
  })
}

test('no path, name or value reaches what objects inherit', () => {
  const names = ['__proto__', 'constructor', 'prototype', 'constructor.prototype', '__proto__.x', 'name.__proto__.x']
  const others = ['emails.__proto__.x', 'emails[type eq "work"].__proto__', `${enterpriseUrn}:__proto__`, 'toString']
  for (const name of [...names, ...others]) {
    for (const op of ['add', 'replace', 'remove']) {
      assert.throws(() => patched({ op, path: name, value: { x: 1 } }), ScimError, name)
    }
    assert.deepEqual(changes({ op: 'add', value: JSON.parse(JSON.stringify({ [name]: { x: 1 } })) }), {}, name)
  }
  const value = JSON.parse(
    '{"__proto__":{"x":1},"name":{"__proto__":{"x":1}},"roles":[{"value":"a","__proto__":{"x":1}}]}',
  )
  assert.deepEqual(changes({ op: 'add', value }), { roles: [{ value: 'a' }] })
  assert.equal(({} as Record<string, unknown>)['x'], undefined)
  assert.equal(Object.getPrototypeOf(patched({ op: 'add', value })), Object.prototype)
})
