import type { InventoryCase } from './inventory-case.ts'

const platform = 'linux'
const source = "osquery's source"

export const linuxInventoryRows: InventoryCase[] = [
  {
    ...{ platform, table: 'device_listening_ports', of: 'a port that the kernel itself listens on', source },
    tables: { listening_ports: [{ pid: -1, protocol: 6, family: 2, address: '0.0.0.0', port: 2049 }] },
    says: [{ port: '2049', address: '0.0.0.0', process_name: '', process_path: '' }],
  },
  {
    ...{ platform, table: 'device_usb_devices', of: 'a device whose port is not known', source },
    tables: { usb_devices: [{ vendor: 'Linux Foundation', model: 'root hub', removable: -1 }] },
    says: [{ vendor: 'Linux Foundation', removable: '' }],
  },
  {
    ...{ platform, table: 'device_secure_boot', of: 'a variable with another value than 0 and 1', source },
    tables: { secureboot: [{ secure_boot: -1 }] },
    says: [{ secure_boot: '', setup_mode: '' }],
  },
]
