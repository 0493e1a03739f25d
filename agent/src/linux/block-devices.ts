import { NotCollected } from '../tables/not-collected.ts'
import { columns, type Row, type Table } from '../tables/table.ts'
import { ifAllowed, listDirectory, readLine, statOf } from './read-files.ts'
import { runCommand } from './run-command.ts'

type Listed = {
  kname: string
  pkname: string | null
  vendor: string | null
  model: string | null
  size: number | string
  'log-sec': number | string
  uuid: string | null
  fstype: string | null
  label: string | null
}

export const blockDevices: Table = {
  name: 'block_devices',
  columns: columns('name parent vendor model size:bigint block_size:integer uuid type label'),
  *collect(_constraints, query) {
    const wanted = 'KNAME,PKNAME,VENDOR,MODEL,SIZE,LOG-SEC,UUID,FSTYPE,LABEL'
    const listed = JSON.parse(runCommand(query, 'lsblk', ['-J', '-b', '-l', '-a', '-o', wanted])) as {
      blockdevices: Listed[]
    }
    for (const device of listed.blockdevices) yield blockDeviceRow(device)
  },
}

function blockDeviceRow(device: Listed): Row {
  const blockSize = Number(device['log-sec']) || 512
  return {
    name: `/dev/${device.kname}`,
    parent: device.pkname ? `/dev/${device.pkname}` : '',
    vendor: device.vendor?.trim(),
    model: device.model?.trim(),
    // osquery counts blocks, not bytes.
    size: Math.floor(Number(device.size) / blockSize),
    block_size: blockSize,
    uuid: device.uuid,
    type: device.fstype,
    label: device.label,
  }
}

export type DeviceMapperFacts = {
  /** dm/uuid of a device, '' when it is not a device mapper one. */
  mapperUuid: (name: string) => string
  /** The devices directly below: of a mapping its slaves, of a partition its disk. */
  below: (name: string) => string[]
}

/** The crypt device that everything on `name` passes through, or undefined: one plain path to the disk is enough. */
export function encryptionOf(
  name: string,
  facts: DeviceMapperFacts,
  depth = 0,
): { type: string; uuid: string } | undefined {
  const mapper = facts.mapperUuid(name)
  if (mapper.startsWith('CRYPT-')) {
    const [, type = '', uuid = ''] = mapper.split('-')
    return { type, uuid }
  }
  const below = facts.below(name)
  if (below.length === 0 || depth > 16) return undefined
  const found = below.map((each) => encryptionOf(each, facts, depth + 1))
  return found.every((each) => each !== undefined) ? found[0] : undefined
}

const sysBlock = '/sys/class/block'

const machineFacts: DeviceMapperFacts = {
  mapperUuid: (name) => ifAllowed('', () => readLine(`${sysBlock}/${name}/dm/uuid`)),
  below(name) {
    const slaves = listDirectory(`${sysBlock}/${name}/slaves`)
    if (slaves.length > 0) return slaves
    if (!statOf(`${sysBlock}/${name}/partition`)) return []
    const disk = listDirectory(sysBlock).find((each) => statOf(`${sysBlock}/${each}/${name}`)?.isDirectory())
    return disk ? [disk] : []
  },
}

export const diskEncryption: Table = {
  name: 'disk_encryption',
  columns: columns('name uuid encrypted:integer type encryption_status uid user_uuid filevault_status'),
  *collect() {
    const names = listDirectory(sysBlock)
    if (names.length === 0) throw new NotCollected(`${sysBlock} is empty`)
    for (const name of names) {
      const encryption = encryptionOf(name, machineFacts)
      yield {
        name: `/dev/${name}`,
        uuid: encryption?.uuid ?? '',
        encrypted: encryption ? 1 : 0,
        type: encryption?.type ?? '',
        encryption_status: encryption ? 'encrypted' : 'not encrypted',
      }
    }
  },
}
