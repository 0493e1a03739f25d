import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { macPeople } from './people-on-mac.ts'

// Nothing here was recorded on a Mac. What scutil writes follows public listings of `show State:/Users/ConsoleUser`, and what ps writes ps(1).

type Session = { uid: number; isInFront?: boolean; isLoggedIn?: boolean }

const sessionText = (
  { uid, isInFront = false, isLoggedIn = true }: Session,
  index: number,
) => `    ${index} : <dictionary> {
      kCGSSessionAuditIDKey : 10000${index}
      kCGSSessionGroupIDKey : 20
      kCGSSessionOnConsoleKey : ${isInFront ? 'TRUE' : 'FALSE'}
      kCGSSessionUserIDKey : ${uid}
      kCGSSessionUserNameKey : person
      kCGSessionLoginDoneKey : ${isLoggedIn ? 'TRUE' : 'FALSE'}
    }
`

const consoleUser = (sessions: readonly Session[]) => `<dictionary> {
  GID : 20
  Name : person
  SessionInfo : <array> {
${sessions.map(sessionText).join('')}  }
  UID : 501
}
`

const usual = '    0 ??      \n   88 ??      \n  501 ??      \n  501 ttys000 \n'

/** Programs in place of those of macOS. scutil answers what it is told to show, and nothing else. */
function mac(t: TestContext, { sessions = [] as readonly Session[], scutil = '', terminals = usual, ps = '' }) {
  const folder = mkdtempSync(join(tmpdir(), 'muster-people-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const program = (name: string, does: string) => {
    writeFileSync(join(folder, name), `#!/bin/sh\n${does}\n`, { mode: 0o755 })
    return join(folder, name)
  }
  const answer = scutil === '' ? `cat <<'END'\n${consoleUser(sessions)}END` : scutil
  return macPeople({
    scutil: program('scutil', `read -r line\n[ "$line" = 'show State:/Users/ConsoleUser' ] || exit 1\n${answer}`),
    ps: program('ps', ps === '' ? `[ "$*" = '-axo uid=,tty=' ] && cat <<'END'\n${terminals}END` : ps),
  })
}

test('one person at the screen and in the terminal is one, and one who was switched away or shares the screen another', async (t) => {
  const ana: Session = { uid: 501, isInFront: true }
  assert.equal(await mac(t, { sessions: [ana] })(), 1)
  assert.equal(await mac(t, { sessions: [ana, { uid: 502 }] })(), 2)
  assert.equal(await mac(t, { sessions: [ana, { uid: 502 }, { uid: 1_834_567_890 }] })(), 3)
  assert.equal(await mac(t, { sessions: [{ uid: 201, isInFront: true }], terminals: '0 ??\n' })(), 1, 'the guest')
})

test('whoever is at the login window, and accounts of the system, are nobody', async (t) => {
  const window: Session = { uid: 0, isInFront: true, isLoggedIn: false }
  const terminals = '    0 ttys003 \n  248 ttys004 \n   -2 ttys005 \n4294967294 ttys006 \n'
  assert.equal(await mac(t, { sessions: [window], terminals })(), 0)
  assert.equal(await mac(t, { sessions: [window, { uid: 501 }, { uid: 248 }], terminals })(), 1)
  assert.equal(await mac(t, { sessions: [{ uid: 502, isLoggedIn: false }, { uid: 501 }] })(), 1)
})

test('who came by SSH is there, and nobody at the screen since the start is no failure', async (t) => {
  const terminals = '  0 ??\n  502 ttys001\n  502 ttys002\n'
  assert.equal(await mac(t, { sessions: [{ uid: 501, isInFront: true }], terminals })(), 2)
  assert.equal(await mac(t, { scutil: 'echo "  No such key"', terminals })(), 1)
})

test('where a program is missing, fails or answers something else, nobody knows how many', async (t) => {
  assert.equal(await mac(t, { scutil: 'exit 1' })(), null)
  assert.equal(await mac(t, { scutil: 'echo "Could not open session."' })(), null)
  assert.equal(await mac(t, { sessions: [{ uid: 501 }], ps: 'exit 1' })(), null)
  assert.equal(await macPeople({ scutil: '/nowhere/scutil', ps: '/nowhere/ps' })(), null)
})
