import { needsRoot } from '../tables/needs-root.ts'
import { columns, type Query, type Row, type Table } from '../tables/table.ts'
import { readLines } from './read-files.ts'
import { findCommand, runCommand } from './run-command.ts'

/** One line of `iptables -S`: `-P chain policy` or `-A chain condition… -j target`; undefined for others. */
export function iptablesRow(filter: string, line: string): Row | undefined {
  const words = line.match(/"(?:\\.|[^"])*"|\S+/g) ?? []
  const [action, chain] = words
  if (action === '-P') return { filter_name: filter, chain, policy: words[2] }
  if (action !== '-A') return undefined
  const after = (...flags: string[]) => words[words.findIndex((word) => flags.includes(word)) + 1]
  const of = (...flags: string[]) => (words.some((word) => flags.includes(word)) ? after(...flags) : '')
  const source = networkParts(of('-s', '--source'))
  const destination = networkParts(of('-d', '--destination'))
  return {
    filter_name: filter,
    chain,
    policy: '',
    target: of('-j', '-g'),
    protocol: protocolNumber(of('-p') ?? ''),
    src_port: of('--sport', '--sports'),
    dst_port: of('--dport', '--dports'),
    src_ip: source.address,
    src_mask: source.mask,
    iniface: of('-i'),
    dst_ip: destination.address,
    dst_mask: destination.mask,
    outiface: of('-o'),
    match: of('-m') === '' ? 'no' : 'yes',
  }
}

function networkParts(text: string | undefined): { address: string; mask: string } {
  const [address = '', bits = ''] = (text ?? '').split('/')
  return { address, mask: bits }
}

const protocols: Record<string, number> = { icmp: 1, tcp: 6, udp: 17, 'ipv6-icmp': 58, sctp: 132 }
const protocolNumber = (name: string) => (/^\d+$/.test(name) ? Number(name) : (protocols[name] ?? 0))

export const iptables: Table = {
  name: 'iptables',
  columns: columns(`filter_name chain policy target protocol:integer src_port dst_port src_ip src_mask iniface
    iniface_mask dst_ip dst_mask outiface outiface_mask match packets:integer bytes:integer`),
  notCollected: (uid) => needsRoot(uid) ?? (findCommand('iptables') ? undefined : 'iptables is not installed'),
  *collect(_constraints, query) {
    for (const filter of filterTables()) yield* rowsOf(filter, query)
  },
}

/** The tables that the kernel has loaded; `filter` alone when it does not say (nf_tables keeps no such list). */
function filterTables(): string[] {
  const loaded = readLines('/proc/net/ip_tables_names').filter((name) => name !== '')
  return loaded.length > 0 ? loaded : ['filter']
}

function* rowsOf(filter: string, query: Query): Iterable<Row> {
  for (const line of runCommand(query, 'iptables', ['-w', '2', '-t', filter, '-S']).split('\n')) {
    const row = iptablesRow(filter, line)
    if (row) yield row
  }
}
