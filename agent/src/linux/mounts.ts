import { realpathSync, statfsSync } from 'node:fs'
import { columns, type Row, type Table } from '../tables/table.ts'
import { readLines } from './read-files.ts'

/** A dead server would hold statfs() for minutes, so these are listed without sizes. */
const remote = /^(nfs|cifs|smb|9p|ceph|glusterfs|fuse\.|autofs)/

/** Spaces and the like stand as octal in /proc/mounts. */
export function unescapeMount(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_match, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)))
}

/** The device behind /dev/mapper/… and /dev/disk/by-…; the text itself when there is none. */
function deviceAlias(device: string): string {
  if (!device.startsWith('/')) return device
  try {
    return realpathSync(device)
  } catch {
    return device
  }
}

function sizes(path: string, type: string): Row {
  if (remote.test(type)) return {}
  try {
    const stats = statfsSync(path, { bigint: true })
    return {
      blocks_size: stats.bsize,
      blocks: stats.blocks,
      blocks_free: stats.bfree,
      blocks_available: stats.bavail,
      inodes: stats.files,
      inodes_free: stats.ffree,
    }
  } catch {
    // Another user's private mount: it is there, its size is not ours to see.
    return {}
  }
}

export const mounts: Table = {
  name: 'mounts',
  columns: columns(`device device_alias path type blocks_size:bigint blocks:bigint blocks_free:bigint
    blocks_available:bigint inodes:bigint inodes_free:bigint flags`),
  *collect() {
    for (const line of readLines('/proc/self/mounts')) {
      const [device = '', path = '', type = '', flags = ''] = line.split(' ').map(unescapeMount)
      if (path === '') continue
      yield { device, device_alias: deviceAlias(device), path, type, ...sizes(path, type), flags }
    }
  },
}
