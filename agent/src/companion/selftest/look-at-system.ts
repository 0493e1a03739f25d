import { release } from 'node:os'
import { standInVersion } from '../../linux/agent-itself.ts'
import type { InstalledShell } from '../installed-shell.ts'
import { type Ask, look, ok, okIf, type Row, shown, unknown } from './row.ts'

/** The system, the program, and osquery with what the server knows the machine by. Nothing but the bundled agent links a companion without osquery. */
export async function lookAtSystem(ask: Ask, shell: InstalledShell | undefined, isLinked: boolean): Promise<Row[]> {
  const [system, osquery, identity] = await Promise.all([
    ask('SELECT name, version, build, arch FROM os_version'),
    ask('SELECT version FROM osquery_info'),
    ask('SELECT uuid, hardware_serial FROM system_info'),
  ])
  const common = [
    ok('System', systemOf(system?.[0])),
    ok('Companion', `${standInVersion} on Node ${process.version}, ${process.arch}`),
    userRow(),
  ]
  if (!shell && isLinked)
    return [...common, unknown('osquery', 'not installed: the bundled agent answers in its place')]
  if (!shell) return [...common, look('osquery', 'not installed: the companion waits for osquery 5')]
  const version = osquery?.[0]?.['version']
  return [
    ...common,
    okIf(version !== undefined, 'osquery', `${version ?? 'no answer'} by ${shown(shell.path)}`),
    identityRow(identity?.[0]),
  ]
}

function systemOf(row: Record<string, string> | undefined): string {
  const { name, version, build, arch } = row ?? {}
  const named = [name, version, build && `(${build})`, arch].filter(Boolean).join(' ')
  return named === '' ? `${process.platform} ${release()}` : named
}

function userRow(): Row {
  const uid = process.getuid?.()
  if (uid === undefined) return unknown('Run by', 'unknown')
  return okIf(uid === 0, 'Run by', uid === 0 ? 'root' : `user ${uid}: run it as root, which the companion is`)
}

/** Whether they are there: what they are is nobody's who reads an issue. */
function identityRow(row: Record<string, string> | undefined): Row {
  const what = 'Identity by osquery'
  if (row === undefined) return look(what, 'no answer from system_info: nothing can be linked')
  const { uuid = '', hardware_serial: serial = '' } = row
  const said = (value: string, name: string) => (value === '' ? `no ${name}` : `a ${name}`)
  return okIf(uuid !== '' || serial !== '', what, `${said(uuid, 'hardware UUID')}, ${said(serial, 'serial number')}`)
}
