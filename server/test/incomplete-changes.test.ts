import assert from 'node:assert/strict'
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { inFolder, root, typeErrors, type Wrong } from './support/type-errors.ts'

/** A change that has only begun: what is added behind a line, and the files that the type checker then sends its author to. */
type Beginning = { file: string; behind: string; added: string; word: string; sentTo: readonly string[] }

const schema = 'server/src/base/db/schema.ts'
const beginnings: Readonly<Record<string, Beginning>> = {
  'a reason why no device is found': {
    file: schema,
    behind: 'export type DetectionReason =\n',
    added: "  | 'clock_wrong'\n",
    word: 'clock_wrong',
    sentTo: ['server/src/sign-in/reasons/detection-reasons.ts'],
  },
  'a state of a sign-in': {
    file: schema,
    behind: 'export type SessionState =\n',
    added: "  | 'clock_asked'\n",
    word: 'clock_asked',
    sentTo: ['page/draw-state.ts', 'page/draw-way.ts', 'sessions/reason-of.ts'].map(
      (file) => `server/src/sign-in/${file}`,
    ),
  },
  'a form of the page of a sign-in': {
    file: 'server/src/sign-in/visits/form-routes.ts',
    behind: 'const pageForms = {\n',
    added: "  'set-clock': none,\n",
    word: 'set-clock',
    sentTo: ['server/src/sign-in/visits/step-routes.ts'],
  },
  'a field of devices': {
    file: 'contract/src/devices.ts',
    behind: "    hardware_model: Nullable(Text('Model of the hardware; null until the device has reported it.')),\n",
    added: "    color: Nullable(Text('Color of the hardware.')),\n",
    word: "'color'",
    sentTo: ['server/src/inventory/devices/present.ts'],
  },
  'a column of devices': {
    file: schema,
    behind: '    has_had_owner: WithDefault<boolean>\n',
    added: '    engraving: string | null\n',
    word: 'engraving',
    sentTo: ['server/src/agents/merges/merge-devices.ts'],
  },
  'a webhook event': {
    file: 'contract/src/webhook-event-summaries.ts',
    behind: "  'devices.created': 'A device enrolled.',\n",
    added: "  'devices.painted': 'A device has another color.',\n",
    word: 'devices.painted',
    sentTo: ['contract/src/webhook-events.ts', 'contract/src/webhook-examples.ts'],
  },
}

/** What these changes reach: the whole server takes twice as long. */
const entries = [
  'server/src/sign-in/visits/routes.ts',
  'server/src/inventory/devices/routes.ts',
  'server/src/agents/merges/routes.ts',
  'contract/src/webhook-examples.ts',
]

let errors: readonly Wrong[]

before(async () => {
  errors = await inFolder(async (copy) => {
    for (const folder of ['server/src', 'contract/src'])
      await cp(join(root, folder), join(copy, folder), { recursive: true })
    await cp(join(root, 'contract/package.json'), join(copy, 'contract/package.json'))
    await mkdir(join(copy, 'node_modules/@muster'), { recursive: true })
    await symlink('../../contract', join(copy, 'node_modules/@muster/contract'))
    for (const { file, behind, added } of Object.values(beginnings)) {
      const text = await readFile(join(copy, file), 'utf8')
      assert.equal(text.split(behind).length, 2, `${file} has one place for what is added`)
      await writeFile(join(copy, file), text.replace(behind, behind + added))
    }
    return typeErrors(copy, entries)
  })
})

for (const [what, { word, sentTo }] of Object.entries(beginnings)) {
  test(`${what} that is only begun is a type error where the rest of it belongs`, () => {
    const found = errors.filter(({ text }) => text.includes(word)).map(({ file }) => file)
    assert.deepEqual([...new Set(found)].toSorted(), sentTo.toSorted())
  })
}
