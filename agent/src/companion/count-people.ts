import { readdir, readFile } from 'node:fs/promises'
import { parseUtmp } from '../linux/logged-in-users.ts'

const ofLinux = { sessions: '/run/systemd/sessions', utmp: '/run/utmp' }
/** Accounts below this are of the system. */
const firstPerson = 1_000
const nobody = 65_534
const maxSessions = 1_000

/**
 * How many people are logged in on this machine, each once, by systemd's sessions, else by utmp(5) of Linux. Null where there is
 * neither.
 */
export async function countPeople(machine = ofLinux): Promise<number | null> {
  return (await countInSessions(machine.sessions)) ?? (await countInUtmp(machine.utmp))
}

async function countInSessions(folder: string): Promise<number | undefined> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => undefined)
  if (!entries) return undefined
  const people = new Set<number>()
  // Beside each session lies a pipe, which would never end.
  for (const { name } of entries.filter((entry) => entry.isFile()).slice(0, maxSessions)) {
    const fields = fieldsIn(await readFile(`${folder}/${name}`, 'utf8').catch(() => ''))
    const uid = Number(fields.get('UID'))
    const isOfPerson = uid >= firstPerson && uid !== nobody && (fields.get('CLASS') ?? 'user').startsWith('user')
    if (isOfPerson && fields.get('STATE') !== 'closing') people.add(uid)
  }
  return people.size
}

/** Of lines such as `UID=1000`. */
const fieldsIn = (text: string): Map<string, string> =>
  new Map(
    text.split('\n').flatMap((line) => {
      const at = line.indexOf('=')
      return at > 0 ? [[line.slice(0, at), line.slice(at + 1)] as const] : []
    }),
  )

async function countInUtmp(path: string): Promise<number | null> {
  const bytes = await readFile(path).catch(() => undefined)
  if (!bytes) return null
  const names = parseUtmp(bytes, process.arch).flatMap(({ type, user }) =>
    type === 'user' && user !== 'root' ? [user] : [],
  )
  return new Set(names).size
}
