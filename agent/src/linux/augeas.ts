import { NotCollected } from '../tables/not-collected.ts'
import { columns, type Row, type Table } from '../tables/table.ts'
import { aptNodes } from './apt-nodes.ts'
import { listDirectory, readText } from './read-files.ts'

type Files = { main: string; folder: string; ending: string; nodes: (path: string, text: string) => Row[] }

/** What the checks ask of augeas. */
const known: readonly Files[] = [
  { main: '/etc/ssh/sshd_config', folder: '/etc/ssh/sshd_config.d', ending: '.conf', nodes: sshdNodes },
  { main: '/etc/apt/apt.conf', folder: '/etc/apt/apt.conf.d', ending: '', nodes: aptNodes },
]

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
    const asked = constraints.map(({ column, value }) => String(value).replace(column === 'node' ? '/files' : '', ''))
    const wanted = known.filter(({ main }) => asked.every((path) => path.startsWith(main)))
    if (wanted.length === 0) throw new NotCollected('of augeas only sshd_config and apt.conf are read')
    for (const { main, folder, ending, nodes } of wanted) {
      const files = listDirectory(folder).filter((name) => name.endsWith(ending))
      for (const path of [main, ...files.map((name) => `${folder}/${name}`)]) yield* nodes(path, readText(path) ?? '')
    }
  },
}
