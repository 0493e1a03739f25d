import type { InventoryCase } from './inventory-case.ts'
import type { Tables } from './osquery-database.ts'

type Row = Tables[string][number]

const platform = 'windows'
const osquerySource = "osquery's source"

const system = (of: string, source: string, row: Row): InventoryCase => ({
  ...{ platform, table: 'device_os_version', of, source },
  tables: { os_version: [{ codename: row['name'] ?? '', major: 10, minor: 0, platform: 'windows', ...row }] },
  says: [{ name: String(row['name']), arch: String(row['arch']), build: String(row['build']), major: '10', patch: '' }],
})

const systems: InventoryCase[] = [
  system('a Russian Windows', 'nvda #18840 and pull request 20648 for the name; the words of Windows itself', {
    ...{ name: 'Майкрософт Windows 11 Pro', arch: '64-разрядная', build: '26200' },
  }),
  system('a French Windows', 'windows-path-enumerate #28', {
    ...{ name: 'Microsoft Windows 11 Professionnel', arch: '64 bits', build: '26100' },
  }),
  system('a Japanese Windows', 'no row in public; the words of Windows itself', {
    ...{ name: 'Microsoft Windows 11 Pro', arch: '64 ビット', build: '26100' },
  }),
]

const firmware = (of: string, row: Row, says: Record<string, string>, source = osquerySource): InventoryCase => {
  return { platform, table: 'device_secure_boot', of, source, tables: { secureboot: [row] }, says: [says] }
}

const hardware: InventoryCase[] = [
  firmware(
    'a machine that starts signed systems only',
    { secure_boot: 1, setup_mode: 0 },
    {
      ...{ secure_boot: '1', setup_mode: '0', secure_mode: '', description: '' },
    },
  ),
  firmware(
    'a machine whose variables cannot be read',
    { secure_boot: -1, setup_mode: -1 },
    { secure_boot: '', setup_mode: '' },
    'osquery pull request 7743',
  ),
  {
    ...{ platform, table: 'device_system_info', of: 'a machine whose WMI does not answer', source: osquerySource },
    tables: {
      system_info: [
        {
          ...{
            hostname: 'pc',
            hardware_vendor: '-1',
            hardware_model: '-1',
            hardware_version: '-1',
            hardware_serial: '-1',
          },
          ...{ cpu_physical_cores: -1, cpu_logical_cores: -1, physical_memory: -1, cpu_type: 'x86_64' },
        },
      ],
    },
    says: [
      {
        ...{ hostname: 'pc', hardware_vendor: '', hardware_model: '', hardware_version: '', hardware_serial: '' },
        ...{ cpu_physical_cores: '', cpu_logical_cores: '', physical_memory: '', cpu_type: 'x86_64' },
      },
    ],
  },
  {
    ...{
      platform,
      table: 'device_volumes',
      of: 'a French Windows with a share that is away',
      source: "GLPI agent's test data",
    },
    tables: {
      logical_drives: [
        {
          ...{ device_id: 'C:', type: 'Unknown', description: 'Disque fixe local', file_system: 'NTFS' },
          ...{ size: '499963174912', free_space: '250757652480', boot_partition: 1 },
        },
        {
          device_id: 'Z:',
          type: 'Unknown',
          description: 'Connexion réseau',
          file_system: 'NTFS',
          size: -1,
          free_space: -1,
        },
        { device_id: 'E:', type: 'Unknown', description: 'Disque CD-ROM', file_system: '', size: -1, free_space: -1 },
      ],
    },
    says: [
      { path: 'C:', type: 'NTFS', size_bytes: '499963174912', free_gib: '233' },
      { path: 'Z:', size_bytes: '', free_gib: '' },
    ],
  },
  {
    ...{ platform, table: 'device_kernel_modules', of: 'a driver whose signature is not told', source: osquerySource },
    tables: {
      drivers: [
        { service: 'a', signed: 1 },
        { service: 'b', signed: 0 },
        { service: 'c', signed: -1 },
      ],
    },
    says: [
      { name: 'a', status: 'signed' },
      { name: 'b', status: 'not signed' },
      { name: 'c', status: '' },
    ],
  },
]

const network: InventoryCase[] = [
  {
    ...{ platform, table: 'device_routes', of: 'a route of an interface that is gone', source: osquerySource },
    tables: { routes: [{ destination: '10.0.0.0', netmask: 8, metric: -1, type: 'remote' }] },
    says: [{ destination: '10.0.0.0', netmask: '8', metric: '' }],
  },
  {
    ...{
      platform,
      table: 'device_listening_ports',
      of: 'a machine with a connection over IPv6',
      source: osquerySource,
    },
    tables: {
      process_open_sockets: [
        { pid: 4, protocol: 6, family: 23, local_address: '::', local_port: 445, remote_port: 0, state: 'LISTEN' },
        { pid: 9, protocol: 6, family: 23, local_address: '::1', local_port: 135, remote_port: 7, state: 'LISTEN' },
        { pid: 9, protocol: 6, family: 23, local_address: '2001:db8::7', local_port: 51234, remote_port: 443 },
        { pid: 9, protocol: 17, family: 2, local_address: '0.0.0.0', local_port: 53111, remote_port: 0 },
      ],
      listening_ports: [
        { pid: 4, protocol: 6, family: 23, address: '::', port: 445 },
        { pid: 9, protocol: 6, family: 23, address: '::1', port: 135 },
        { pid: 9, protocol: 6, family: 23, address: '2001:db8::7', port: 51234 },
        { pid: 9, protocol: 17, family: 2, address: '0.0.0.0', port: 53111 },
      ],
      processes: [{ pid: 9, name: 'svchost.exe', path: String.raw`C:\Windows\System32\svchost.exe` }],
    },
    says: [
      { port: '445', family: '23', address: '::', process_name: '', process_path: '' },
      { port: '135', address: '::1', process_name: 'svchost.exe' },
    ],
  },
]

const security: InventoryCase[] = [
  {
    ...{ platform, table: 'device_certificates', of: 'any Windows', source: osquerySource },
    tables: { certificates: [{ common_name: 'Example Root', issuer: 'Example Root', ca: -1, self_signed: 1 }] },
    says: [{ common_name: 'Example Root', issuer: 'Example Root', ca: '', self_signed: '1' }],
  },
]

export const windowsMachineRows: InventoryCase[] = [...systems, ...hardware, ...network, ...security]
