import { NotCollected } from '../tables/not-collected.ts'
import { columns, type Row, type Table } from '../tables/table.ts'
import { listDirectory, readText } from './read-files.ts'

const main = '/etc/ssh/sshd_config'
const dropIns = '/etc/ssh/sshd_config.d'

/** sshd_config(5) as the sshd lens numbers it: settings of a Match block lie under `Match/Settings`. */
export function sshdNodes(path: string, text: string): Row[] {
  const rows: Row[] = []
  let prefix = `/files${path}`
  for (const line of text.split('\n')) {
    const [, keyword, rest = ''] = /^\s*([A-Za-z]\w*)(?:\s+|\s*=\s*)(.*?)\s*$/.exec(line) ?? []
    if (!keyword) continue
    const value = rest.replace(/\s+#.*$/, '').replace(/^"(.*)"$/, '$1')
    if (keyword.toLowerCase() === 'match') {
      prefix = `/files${path}/Match/Settings`
      rows.push({ node: `/files${path}/Match/Condition`, value, label: 'Condition', path })
      continue
    }
    rows.push({ node: `${prefix}/${keyword}`, value, label: canonical(keyword), path })
  }
  return rows
}

const spelled = [
  'PermitRootLogin',
  'PasswordAuthentication',
  'PermitEmptyPasswords',
  'PubkeyAuthentication',
  'X11Forwarding',
]

/** Keywords of sshd_config are not case-sensitive; checks look for the manual's spelling. */
const canonical = (keyword: string) => spelled.find((each) => each.toLowerCase() === keyword.toLowerCase()) ?? keyword

export const augeas: Table = {
  name: 'augeas',
  columns: columns('node value label path'),
  pushed: { path: 'like', node: 'like' },
  *collect(constraints) {
    for (const { column, value } of constraints) {
      const asked = String(value).replace(column === 'node' ? '/files' : '', '')
      if (!asked.startsWith('/etc/ssh/sshd_config')) throw new NotCollected('of augeas only sshd_config is read')
    }
    const files = listDirectory(dropIns).filter((name) => name.endsWith('.conf'))
    for (const path of [main, ...files.map((name) => `${dropIns}/${name}`)]) {
      yield* sshdNodes(path, readText(path) ?? '')
    }
  },
}
