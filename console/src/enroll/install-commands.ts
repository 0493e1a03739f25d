import type { Package } from '@muster/contract/packages.ts'
import { readFile } from '../api/api.ts'
import { saveFile } from '../api/download.ts'

export const platformWords: Readonly<Record<Package['platform'], string>> = {
  linux: 'Linux',
  darwin: 'macOS',
  windows: 'Windows',
}

export const agentWords: Readonly<Record<Package['agent'], string>> = {
  osquery: 'osquery',
  muster_companion: 'Companion',
  muster_agent: 'Bundled agent',
}

const folders: Readonly<Record<Package['agent'], string>> = {
  osquery: 'muster-osquery',
  muster_companion: 'muster-companion',
  muster_agent: 'muster-agent',
}

/** What a package needs of the machine. */
export function needsOf({ agent }: Package): string {
  if (agent === 'muster_agent') return 'Runs as root, and needs no osquery.'
  if (agent === 'muster_companion') return 'Runs as root beside osquery 5 and its package, installed before or after.'
  return 'Needs osquery 5, installed before or after.'
}

/** What is typed on the device, in the folder of the file. */
export function installCommand({ format, file_name: file, agent }: Package): string {
  const commands: Readonly<Record<Package['format'], string>> = {
    deb: `sudo dpkg -i ${file}`,
    'tar.gz': `tar -xzf ${file} && sudo sh ${folders[agent]}/install.sh`,
    sh: `sudo sh ${file}`,
    ps1: `powershell -ExecutionPolicy Bypass -File ${file}`,
  }
  return commands[format]
}

/** What shows on the device whether the companion runs, and what it said last. */
export const companionCommands: readonly string[] = [
  'sudo /usr/lib/muster-companion/muster-companion status',
  'journalctl -u muster-companion -n 20',
]

/** What shows on the device why nothing arrives. */
export function troubleCommand({ platform, agent }: Package): string {
  if (agent === 'muster_agent') return 'journalctl -u muster-agent -n 20'
  if (platform === 'linux') return 'journalctl -u osqueryd -n 20'
  return platform === 'darwin' ? 'sudo osqueryctl status' : 'Get-Service osqueryd'
}

export const downloadPackage = async ({ id, file_name: name }: Package): Promise<void> =>
  saveFile(await readFile('downloadPackage', { params: { id } }), name)
