import { columns, type Row, type Table } from '../tables/table.ts'
import { machineArchitecture } from './machine.ts'
import { readText } from './read-files.ts'

/** The shell-like assignments of os-release(5). */
function parseOsRelease(text: string): Record<string, string> {
  const fields: Record<string, string> = {}
  for (const line of text.split('\n')) {
    const [, key, quoted] = /^([A-Z0-9_]+)=(.*)$/.exec(line.trim()) ?? []
    if (key) fields[key] = (quoted ?? '').replace(/^(["'])(.*)\1$/, '$2').replace(/\\(["'`$\\])/g, '$1')
  }
  return fields
}

export function osVersionRow(osRelease: string): Row {
  const fields = parseOsRelease(osRelease)
  const [major = '0', minor = '0', patch = '0'] = (fields['VERSION_ID'] ?? '').split('.')
  return {
    name: fields['NAME'],
    version: fields['VERSION'] ?? fields['VERSION_ID'],
    major: Number.parseInt(major, 10) || 0,
    minor: Number.parseInt(minor, 10) || 0,
    patch: Number.parseInt(patch, 10) || 0,
    build: fields['BUILD_ID'],
    platform: fields['ID'],
    platform_like: fields['ID_LIKE'] ?? '',
    codename: fields['VERSION_CODENAME'],
    arch: machineArchitecture,
  }
}

export const osVersion: Table = {
  name: 'os_version',
  columns: columns(`name version major:integer minor:integer patch:integer build platform platform_like codename arch
    extra install_date:bigint`),
  *collect() {
    const text = readText('/etc/os-release') ?? readText('/usr/lib/os-release')
    if (text !== undefined) yield osVersionRow(text)
  },
}
