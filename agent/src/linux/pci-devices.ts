import { basename } from 'node:path'
import { columns, type Row, type Table } from '../tables/table.ts'
import { linkTarget, listDirectory, readLine, readLines } from './read-files.ts'

/** Names by identifier: `8086` a vendor, `8086 1234` a model, `8086 1234 1028 0001` a subsystem, `C 03`, `C 03 00`. */
export type PciNames = ReadonlyMap<string, string>

/** The list of the PCI ID project: what is indented belongs to the line above that is indented less. */
export function parsePciIds(lines: readonly string[]): PciNames {
  const names = new Map<string, string>()
  let [outer, inner] = ['', '']
  for (const line of lines) {
    const [, tabs = '', id = '', name = ''] =
      /^(\t{0,2})((?:C )?[0-9a-f]{2,4}(?: [0-9a-f]{4})?) {2}(.+)$/.exec(line) ?? []
    if (id === '') continue
    if (tabs === '') outer = id
    if (tabs === '\t') inner = `${outer} ${id}`
    names.set(tabs === '' ? outer : tabs === '\t' ? inner : `${inner} ${id}`, name)
  }
  return names
}

/** The devices below a folder such as /sys/bus/pci/devices. */
export function* pciDevicesOf(folder: string, names: PciNames): Iterable<Row> {
  for (const slot of listDirectory(folder)) {
    const of = (attribute: string) => readLine(`${folder}/${slot}/${attribute}`).replace(/^0x/, '')
    const [vendor, model, subVendor, subModel] = [
      of('vendor'),
      of('device'),
      of('subsystem_vendor'),
      of('subsystem_device'),
    ]
    const [classId, subclassId] = [of('class').slice(0, 2), of('class').slice(2, 4)]
    const nameOf = (id: string) => names.get(id) ?? ''
    const hex = (id: string) => (id === '' ? '' : `0x${id.toUpperCase()}`)
    yield {
      pci_slot: slot,
      pci_class: nameOf(`C ${classId}`),
      driver: basename(linkTarget(`${folder}/${slot}/driver`) ?? ''),
      vendor: nameOf(vendor),
      vendor_id: hex(vendor),
      model: nameOf(`${vendor} ${model}`),
      model_id: hex(model),
      pci_class_id: hex(classId),
      pci_subclass_id: hex(subclassId),
      pci_subclass: nameOf(`C ${classId} ${subclassId}`),
      subsystem_vendor_id: hex(subVendor),
      subsystem_vendor: nameOf(subVendor),
      subsystem_model_id: hex(subModel),
      subsystem_model: nameOf(`${vendor} ${model} ${subVendor} ${subModel}`),
    }
  }
}

const lists = ['/usr/share/misc/pci.ids', '/usr/share/hwdata/pci.ids']

export const pciDevices: Table = {
  name: 'pci_devices',
  columns: columns(`pci_slot pci_class driver vendor vendor_id model model_id pci_class_id pci_subclass_id pci_subclass
    subsystem_vendor_id subsystem_vendor subsystem_model_id subsystem_model`),
  *collect() {
    const lines = lists.map(readLines).find((each) => each.length > 0) ?? []
    yield* pciDevicesOf('/sys/bus/pci/devices', parsePciIds(lines))
  },
}
