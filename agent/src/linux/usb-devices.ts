import { columns, type Row, type Table } from '../tables/table.ts'
import { listDirectory, readLine } from './read-files.ts'

const folder = '/sys/bus/usb/devices'

export const usbDevices: Table = {
  name: 'usb_devices',
  columns: columns(`usb_address:integer usb_port:integer vendor vendor_id version model model_id serial class subclass
    protocol removable:integer`),
  *collect() {
    // Names with a colon are interfaces of a device.
    for (const name of listDirectory(folder).filter((each) => !each.includes(':'))) {
      yield usbRow((attribute) => readLine(`${folder}/${name}/${attribute}`))
    }
  },
}

/** A device by its attributes in sysfs. */
export function usbRow(attribute: (name: string) => string): Row {
  const [major = '', minor = ''] = attribute('bcdDevice').match(/\d\d/g) ?? []
  return {
    usb_address: Number(attribute('devnum')) || 0,
    usb_port: Number(attribute('busnum')) || 0,
    vendor: attribute('manufacturer'),
    vendor_id: attribute('idVendor'),
    version: major === '' ? '' : `${Number(major)}.${minor}`,
    model: attribute('product'),
    model_id: attribute('idProduct'),
    serial: attribute('serial'),
    class: String(Number.parseInt(attribute('bDeviceClass'), 16) || 0),
    subclass: String(Number.parseInt(attribute('bDeviceSubClass'), 16) || 0),
    protocol: String(Number.parseInt(attribute('bDeviceProtocol'), 16) || 0),
    removable: attribute('removable') === 'removable' ? 1 : 0,
  }
}
