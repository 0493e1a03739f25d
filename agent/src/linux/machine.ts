import { hostname } from 'node:os'
import { columns, type Table } from '../tables/table.ts'
import { ifAllowed, listDirectory, readLine, readLines, readText } from './read-files.ts'

const dmi = (name: string) => ifAllowed('', () => readLine(`/sys/class/dmi/id/${name}`))

/** 32 hexadecimal digits written as a UUID. */
function asUuid(hex: string): string {
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** A DMI field that vendors left unset. */
export function isPlaceholder(value: string): boolean {
  const plain = value.replaceAll('-', '')
  return /^(0*|f+|none|not specified|default string|to be filled.*|system serial number)$/i.test(plain)
}

/** Uuids that whole series of boards left the factory with, in both byte orders of SMBIOS. */
const sharedUuids = new Set([
  '03000200-0400-0500-0006-000700080009',
  '00020003-0004-0005-0006-000700080009',
  '03020100-0504-0706-0809-0a0b0c0d0e0f',
  '00010203-0405-0607-0809-0a0b0c0d0e0f',
  '12345678-1234-5678-90ab-cddeefaabbcc',
  '78563412-3412-7856-90ab-cddeefaabbcc',
  '10000000-0000-8000-0040-000000000000',
  '00000010-0000-0080-0040-000000000000',
])

/** Whether a text has the form of a uuid and bytes that tell this machine apart. */
function isOwnUuid(uuid: string): boolean {
  const hasForm = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/.test(uuid)
  return hasForm && !sharedUuids.has(uuid) && new Set(uuid.replaceAll('-', '').match(/../g)).size > 2
}

/**
 * What tells this machine from others: the hardware's uuid, or where DMI has none of its own (containers, some
 * virtual machines, an agent that is not root) the installation's /etc/machine-id in the same form.
 */
export function machineIdentity(dmiUuid: string, machineId: string): string {
  const uuid = dmiUuid.toLowerCase()
  return isOwnUuid(uuid) ? uuid : asUuid(machineId)
}

const unlessPlaceholder = (value: string) => (isPlaceholder(value) ? '' : value)

export function readMachineIdentity(): string {
  return machineIdentity(dmi('product_uuid'), readLine('/etc/machine-id') || readLine('/var/lib/dbus/machine-id'))
}

type Processor = { brand: string; logical: number; physical: number; sockets: number; microcode: string }

export function parseCpuinfo(lines: string[]): Processor {
  const field = (line: string) => line.slice(line.indexOf(':') + 1).trim()
  const of = (name: string) => lines.filter((line) => line.startsWith(name)).map(field)
  const logical = of('processor').length
  const sockets = new Set(of('physical id')).size || 1
  const cores = Number(of('cpu cores')[0] ?? logical)
  return {
    brand: of('model name')[0] ?? of('Hardware')[0] ?? '',
    logical,
    physical: cores * sockets,
    sockets,
    microcode: of('microcode')[0] ?? '',
  }
}

/** x86_64 and aarch64, as `uname -m` and osquery have it. */
export const machineArchitecture =
  { x64: 'x86_64', arm64: 'aarch64', arm: 'armv7l', ia32: 'i686' }[process.arch as string] ?? process.arch

export const systemInfo: Table = {
  name: 'system_info',
  columns: columns(`hostname uuid cpu_type cpu_subtype cpu_brand cpu_physical_cores:integer cpu_logical_cores:integer
    cpu_sockets:integer cpu_microcode physical_memory:bigint hardware_vendor hardware_model hardware_version
    hardware_serial board_vendor board_model board_version board_serial computer_name local_hostname`),
  *collect() {
    const cpu = parseCpuinfo(readLines('/proc/cpuinfo'))
    const memory = /^MemTotal:\s+(\d+) kB/m.exec(readText('/proc/meminfo') ?? '')?.[1] ?? '0'
    yield {
      hostname: hostname(),
      uuid: unlessPlaceholder(dmi('product_uuid').toLowerCase()),
      cpu_type: machineArchitecture,
      cpu_subtype: '',
      cpu_brand: cpu.brand,
      cpu_physical_cores: cpu.physical,
      cpu_logical_cores: cpu.logical,
      cpu_sockets: cpu.sockets,
      cpu_microcode: cpu.microcode,
      physical_memory: BigInt(memory) * 1024n,
      hardware_vendor: dmi('sys_vendor'),
      hardware_model: dmi('product_name'),
      hardware_version: dmi('product_version'),
      hardware_serial: unlessPlaceholder(dmi('product_serial')),
      board_vendor: dmi('board_vendor'),
      board_model: dmi('board_name'),
      board_version: dmi('board_version'),
      board_serial: dmi('board_serial'),
      computer_name: hostname(),
      local_hostname: hostname(),
    }
  },
}

export const platformInfo: Table = {
  name: 'platform_info',
  columns: columns('vendor version date revision extra firmware_type address size volume_size:integer'),
  *collect() {
    yield {
      vendor: dmi('bios_vendor'),
      version: dmi('bios_version'),
      date: dmi('bios_date'),
      revision: dmi('bios_release'),
      extra: '',
      firmware_type: firmwareType(),
    }
  },
}

function firmwareType(): string {
  if (listDirectory('/sys/firmware/efi').length > 0) return 'uefi'
  return dmi('bios_vendor') === '' ? 'unknown' : 'bios'
}
