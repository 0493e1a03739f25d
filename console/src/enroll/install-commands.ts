import type { CompanionPlatforms } from '@muster/contract/companion-platforms.ts'
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

type Nodes = CompanionPlatforms['data'][number]['nodes']

/** Which Node a package brings, and what that or its absence needs of the machine; blank where the server has none for it. */
export function nodeWords({ agent, architecture, node_version: version }: Package, nodes: Nodes): string {
  const needs = nodes.find((node) => node.architecture === architecture)?.needs
  if (agent === 'osquery' || needs === undefined) return ''
  return version === null ? ` Needs ${needs}.` : ` Brings Node ${version}. Needs ${needs}.`
}

/** The processor that a package is for, as a part of its name; none where it runs on each. */
export const processorOf = ({ architecture }: Package): string[] => (architecture === 'any' ? [] : [architecture])

const kindOf = ({ agent, platform, format }: Package): string => [agent, platform, format].join(' ')

/** In their order, but those that differ by their processor alone stand together: some were made when a Node was added. */
export function byKind(packages: readonly Package[]): Package[] {
  const kinds = packages.map(kindOf)
  return packages.toSorted((one, other) => kinds.indexOf(kindOf(one)) - kinds.indexOf(kindOf(other)))
}

/** What is typed on the device, in the folder of the file. */
export function installCommand({ format, file_name: file, agent }: Package): string {
  const commands: Readonly<Record<Package['format'], string>> = {
    deb: `sudo dpkg -i ${file}`,
    'tar.gz': `tar -xzf ${file} && sudo sh ${folders[agent]}/install.sh`,
    pkg: `sudo installer -pkg ${file} -target /`,
    sh: `sudo sh ${file}`,
    ps1: `powershell -ExecutionPolicy Bypass -File ${file}`,
  }
  return commands[format]
}

/** What shows on the device whether the companion runs, and what it said last. */
export const companionCommands = ({ platform }: Package): readonly string[] =>
  platform === 'darwin'
    ? ['sudo /opt/muster-companion/muster-companion status', 'sudo tail -n 20 /var/log/muster-companion.log']
    : ['sudo /usr/lib/muster-companion/muster-companion status', 'journalctl -u muster-companion -n 20']

/** What shows on the device why nothing arrives. */
export function troubleCommand({ platform, agent }: Package): string {
  if (agent === 'muster_agent') return 'journalctl -u muster-agent -n 20'
  if (platform === 'linux') return 'journalctl -u osqueryd -n 20'
  return platform === 'darwin' ? 'sudo osqueryctl status' : 'Get-Service osqueryd'
}

export const downloadPackage = async ({ id, file_name: name }: Package): Promise<void> =>
  saveFile(await readFile('downloadPackage', { params: { id } }), name)
