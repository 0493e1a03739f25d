import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testApp } from '../../../test/support/app.ts'
import { openBrowser, password } from '../../../test/support/console.ts'
import { commandsOn } from '../../../test/support/run-command.ts'
import { adminCommands } from './admin-commands.ts'

const trial = testApp()
const now = '2026-11-20T10:00:00.000Z'
const run = commandsOn(trial, now)
const maya = {
  email: 'maya@acme.example',
  firstName: 'Maya',
  lastName: '',
  access: 'full',
  restrictions: [],
} satisfies Omit<Parameters<typeof adminCommands.add.run>[1], 'organization'>

beforeEach(() => trial.reset())

const accept = (url: string, chosen: string) =>
  openBrowser(trial).ask('POST', '/session/link/accept', { token: url.trim().split('#')[1], password: chosen })

test('a link is alone on standard output, and lets its holder choose a password', async () => {
  const id = (await run(adminCommands.add, { ...maya })).out.trim()
  const invited = await run(adminCommands.invite, { admin: 'MAYA@acme.example' })
  assert.match(invited.out, /^https:\/\/muster\.test\/console\/invite#mstr_link_[0-9A-Za-z]{36}\n$/)
  assert.equal(
    invited.err,
    'The link lets its holder choose a password; it is good once, until 2026-11-21T10:00:00.000Z\n',
  )
  assert.equal((await accept(invited.out, password)).body.administrator.id, id)
  await assert.rejects(run(adminCommands.invite, { admin: id }), { code: 'invalid' })
})

test('who is locked out is let in again, and only by the link', async () => {
  const id = (await run(adminCommands.add, { ...maya })).out.trim()
  await accept((await run(adminCommands.invite, { admin: id })).out, password)
  for (let count = 0; count < 6; count += 1) await openBrowser(trial).signIn(maya.email, 'wrong')
  assert.equal((await openBrowser(trial).signIn(maya.email)).status, 429)
  const reset = await run(adminCommands.reset, { admin: id })
  assert.equal((await openBrowser(trial).signIn(maya.email)).status, 401)
  assert.equal((await accept(reset.out, 'two walks at dawn')).status, 200)
  assert.equal((await openBrowser(trial).signIn(maya.email, 'two walks at dawn')).status, 200)
})

test('an administrator who is not there is not invited', async () => {
  for (const admin of ['nobody@acme.example', '999']) {
    await assert.rejects(run(adminCommands.invite, { admin }), {
      message: `There is no administrator ${admin}: muster admins list`,
    })
  }
})
