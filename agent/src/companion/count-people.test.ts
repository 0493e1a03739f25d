import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { countPeople } from './count-people.ts'

const skip = process.platform === 'linux' ? false : 'people are counted on Linux only'

function machine(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'muster-people-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const [sessions, utmp] = [join(folder, 'sessions'), join(folder, 'utmp')]
  const addSession = (name: string, fields: Record<string, string | number>) => {
    const lines = Object.entries(fields).map(([field, value]) => `${field}=${value}`)
    mkdirSync(sessions, { recursive: true })
    writeFileSync(join(sessions, name), `# This is private data.\n${lines.join('\n')}\n`)
  }
  return { sessions, utmp, addSession, count: () => countPeople({ sessions, utmp }) }
}

/** A record of utmp(5) as glibc has it on this processor. */
function loginOf(type: number, user: string): Buffer {
  const record = Buffer.alloc(process.arch === 'arm64' ? 400 : 384)
  record.writeInt16LE(type, 0)
  record.write(user, 44)
  return record
}

const person = { UID: 1000, CLASS: 'user', STATE: 'active' }

test('each person with a session counts once, whatever else runs', { skip }, async (t) => {
  const { addSession, count, sessions } = machine(t)
  addSession('1', person)
  addSession('2', { ...person, STATE: 'online' })
  assert.equal(await count(), 1)
  addSession('c1', { UID: 120, CLASS: 'greeter', STATE: 'active' })
  addSession('c2', { UID: 65_534, CLASS: 'user', STATE: 'active' })
  addSession('3', { UID: 0, CLASS: 'user', STATE: 'active' })
  addSession('4', { UID: 1001, CLASS: 'user', STATE: 'closing' })
  addSession('5', { UID: 1002, CLASS: 'manager', STATE: 'active' })
  addSession('6', { UID: 'somebody', CLASS: 'user' })
  // logind keeps a pipe beside each session: reading it would never end.
  execFileSync('mkfifo', [join(sessions, '1.ref')])
  assert.equal(await count(), 1)
  addSession('7', { UID: 1001, CLASS: 'user', STATE: 'online' })
  assert.equal(await count(), 2)
})

test('without systemd the logins count, and without those nobody says', { skip }, async (t) => {
  const { utmp, count } = machine(t)
  assert.equal(await count(), null)
  writeFileSync(
    utmp,
    Buffer.concat([loginOf(7, 'ana'), loginOf(7, 'ana'), loginOf(7, 'root'), loginOf(8, 'ben'), loginOf(2, 'reboot')]),
  )
  assert.equal(await count(), 1)
  writeFileSync(utmp, Buffer.concat([loginOf(7, 'ana'), loginOf(7, 'ben')]))
  assert.equal(await count(), 2)
})

test('a machine with sessions on which nobody is logged in has none', { skip }, async (t) => {
  const { addSession, count } = machine(t)
  addSession('c1', { UID: 120, CLASS: 'greeter', STATE: 'active' })
  assert.equal(await count(), 0)
})
