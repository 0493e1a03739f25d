import type { Tables } from './osquery-database.ts'

type Row = Tables[string][number]

/** As osquery splits a version: "26.3" has no patch, and of "15.7.1 (a)" the numbers are those before the space. */
export function macOs(version: string, build = ''): Row {
  const [major = '', minor = '', patch = ''] = version.split(' ')[0]?.split('.') ?? []
  return { name: 'macOS', version, major, minor, patch, build, platform: 'darwin', platform_like: 'darwin' }
}

export function agentOn(version: string, osquery: string): Tables {
  return { os_version: [macOs(version)], osquery_info: [{ version: osquery }] }
}

export function plist(path: string, values: Record<string, string>): Row[] {
  return Object.entries(values).map(([key, value]) => ({ path, key, subkey: '', value }))
}

export function managed(domain: string, values: Record<string, string>, username = ''): Row[] {
  return Object.entries(values).map(([name, value]) => ({ domain, name, value, username, manual: '0' }))
}

export function app(identifier: string, name: string, version: string): Row {
  const path = `/Applications/${name}.app`
  return { name: `${name}.app`, path, bundle_identifier: identifier, bundle_short_version: version }
}

export function mount(path: string, device: string): Row {
  return { path, device: `/dev/${device}`, device_alias: `/dev/${device}`, type: 'apfs' }
}

/** A volume as disk_encryption lists it: `fileVault` is "on", "off" or "unknown". */
export function volume(name: string, encrypted: string, fileVault: string): Row {
  const isEncrypted = encrypted === '1'
  return {
    name: `/dev/${name}`,
    encrypted,
    type: isEncrypted ? 'APFS Encryption' : '',
    encryption_status: fileVault === 'unknown' ? 'undefined' : isEncrypted ? 'encrypted' : 'not encrypted',
    filevault_status: fileVault,
  }
}
