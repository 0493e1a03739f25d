import type { Tables } from './osquery-database.ts'

type Row = Tables[string][number]

/** As osquery fills the row: a number that os-release does not give stays 0. */
export function release(platform: string, versionId: string, values: Record<string, string> = {}): Tables {
  const [major = '', minor = '0', patch = '0'] = versionId.split('.')
  return { os_version: [{ platform, major: major || '0', minor, patch, ...values }] }
}

/** Where /etc/redhat-release is there: its text is the version, and the platform is always "rhel". */
export function redHat(name: string, text: string, versionId: string): Tables {
  return release('rhel', versionId, { name, version: text, platform_like: 'rhel' })
}

export const inMonth = (year: number, month: number): Tables => ({
  time: [{ year: `${year}`, month: `${month}`, unix_time: `${Date.UTC(year, month - 1, 15) / 1000}` }],
})

export function unit(id: string, activeState = 'active'): Row {
  return { id, load_state: 'loaded', active_state: activeState }
}

/** A setting of apt where augeas puts it, such as "APT[2]/Periodic/Enable". */
export function aptSetting(file: string, node: string, value: string): Row {
  const path = `/etc/apt/${file}`
  return { node: `/files${path}/${node}`, path, label: node.slice(node.lastIndexOf('/') + 1), value }
}

/** Files of apt.conf.d that augeas could read, with a comment in each. */
export const readFiles = (...names: string[]): Row[] =>
  names.map((name) => ({ ...aptSetting(`apt.conf.d/${name}`, '#comment', 'text'), label: '#comment' }))

export const files = (folder: string, ...names: string[]): Row[] =>
  names.map((name) => ({ path: `${folder}/${name}`, size: '80', type: 'regular', mode: '0644' }))

export function sshd(file: string, node: string, value: string): Row {
  const path = `/etc/ssh/${file}`
  return { node: `/files${path}/${node}`, path, label: node.replace(/\[\d+\]$/, '').replace(/.*\//, ''), value }
}
