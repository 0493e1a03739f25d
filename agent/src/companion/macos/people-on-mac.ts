import { oneAtATime } from '../one-at-a-time.ts'
import { programAsker } from './ask-program.ts'

type Programs = { scutil?: string; ps?: string }

/** Accounts of people begin here; below are those of the system, but for the guest. */
const firstPerson = 500
const guest = 201
/** The user nobody, which ps writes as -2 or as the number that it is without a sign. */
const lastPerson = 2 ** 31

/**
 * Counts who is logged in on this Mac, each person once: who has a session of the window server, in front or switched away, at the
 * screen or by Screen Sharing, and who has a terminal, at the screen or by SSH. Null where macOS does not say.
 */
export function macPeople({
  scutil = '/usr/sbin/scutil',
  ps = '/bin/ps',
}: Programs = {}): () => Promise<number | null> {
  const [askScutil, askPs] = [programAsker(scutil), programAsker(ps)]
  return oneAtATime(async () => {
    const [sessions, terminals] = await Promise.all([
      askScutil({ args: [], input: 'show State:/Users/ConsoleUser\n' }),
      askPs({ args: ['-axo', 'uid=,tty='] }),
    ])
    const [seated, typing] = [usersInSessions(sessions ?? ''), usersAtTerminals(terminals ?? '')]
    return seated && typing ? new Set([...seated, ...typing].filter(isPerson)).size : null
  })
}

const isPerson = (uid: number): boolean => uid === guest || (uid >= firstPerson && uid < lastPerson)

/**
 * The users in `SessionInfo`: blocks of `key : value` between `<dictionary> {` and `}`, of which one that is still at the login window
 * has not ended its login. Undefined where it is no such text; nobody where nobody has logged in since the start.
 */
function usersInSessions(text: string): number[] | undefined {
  if (/^\s*No such key\s*$/m.test(text)) return []
  if (!text.includes('<dictionary>')) return undefined
  const [, listed = ''] = /SessionInfo : <array> \{(.*)/s.exec(text) ?? []
  return listed.split('<dictionary> {').flatMap((block) => {
    const [, uid] = /^\s*kCGSSessionUserIDKey : (\d+)\s*$/m.exec(block) ?? []
    return uid !== undefined && /^\s*kCGSessionLoginDoneKey : TRUE\s*$/m.test(block) ? [Number(uid)] : []
  })
}

/** Of lines such as `  501 ttys001`, and `  501 ??` of what has no terminal. */
function usersAtTerminals(text: string): number[] | undefined {
  const lines = [...text.matchAll(/^\s*(-?\d+)\s+(\S+)\s*$/gm)]
  // Something always runs.
  if (lines.length === 0) return undefined
  return lines.flatMap(([, uid, tty]) => (tty === '??' || tty === '?' || tty === '-' ? [] : [Number(uid)]))
}
