import { NotCollected } from '../tables/not-collected.ts'
import { columns, type Row, type Table } from '../tables/table.ts'
import { listDirectory, lstatOf, readBytes, readLine, readLines, readText } from './read-files.ts'

/** One line of the kernel's list: `name (mode)`. */
export function parseApparmorProfile(line: string): Row | undefined {
  const [, name, mode] = /^(.*) \((\w+)\)$/.exec(line) ?? []
  return name === undefined ? undefined : { path: '', name, attach: '', mode, sha1: '' }
}

export const apparmorProfiles: Table = {
  name: 'apparmor_profiles',
  columns: columns('path name attach mode sha1'),
  *collect() {
    const profiles = readText('/sys/kernel/security/apparmor/profiles')
    if (profiles === undefined) {
      if (readLine('/sys/module/apparmor/parameters/enabled') === 'Y')
        throw new NotCollected('securityfs is not mounted')
      return
    }
    for (const line of profiles.split('\n')) {
      const row = parseApparmorProfile(line)
      if (row) yield row
    }
  },
}

const selinuxRoot = '/sys/fs/selinux'

export const selinuxSettings: Table = {
  name: 'selinux_settings',
  columns: columns('scope key value'),
  *collect() {
    for (const scope of ['', 'booleans', 'policy_capabilities']) {
      const folder = scope === '' ? selinuxRoot : `${selinuxRoot}/${scope}`
      for (const key of listDirectory(folder)) {
        // The other files of selinuxfs are transactions and binary policy, not settings.
        if (
          scope === '' &&
          !['checkreqprot', 'deny_unknown', 'enforce', 'mls', 'policyvers', 'reject_unknown'].includes(key)
        ) {
          continue
        }
        if (lstatOf(`${folder}/${key}`)?.isFile())
          yield { scope, key, value: readLine(`${folder}/${key}`).split(' ')[0] }
      }
    }
  },
}

const globalVariable = '8be4df61-93ca-11d2-aa0d-00e098032b8c'

export const secureboot: Table = {
  name: 'secureboot',
  columns: columns('secure_boot:integer setup_mode:integer'),
  *collect() {
    const read = (name: string) => readBytes(`/sys/firmware/efi/efivars/${name}-${globalVariable}`)
    const secureBoot = read('SecureBoot')
    // Four bytes of attributes stand before the value.
    if (secureBoot) yield { secure_boot: secureBoot[4] ?? 0, setup_mode: read('SetupMode')?.[4] ?? null }
  },
}

export const etcHosts: Table = {
  name: 'etc_hosts',
  columns: columns('address hostnames'),
  *collect() {
    for (const line of readLines('/etc/hosts')) {
      const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/)
      if (address !== '') yield { address, hostnames: names.join(' ') }
    }
  },
}
