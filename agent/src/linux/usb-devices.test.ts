import assert from 'node:assert/strict'
import { test } from 'node:test'
import { usbRow } from './usb-devices.ts'

const rowOf = (attributes: Record<string, string>) => usbRow((name) => attributes[name] ?? '')

test('a USB device is read from its attributes as osquery shows it', () => {
  const attributes = {
    devnum: '7',
    busnum: '3',
    manufacturer: 'Yubico',
    idVendor: '1050',
    product: 'YubiKey OTP+FIDO+CCID',
    idProduct: '0407',
    bcdDevice: '0543',
    bDeviceClass: '00',
    bDeviceSubClass: '0a',
    bDeviceProtocol: '01',
    removable: 'removable',
  }
  assert.deepEqual(rowOf(attributes), {
    usb_address: 7,
    usb_port: 3,
    vendor: 'Yubico',
    vendor_id: '1050',
    version: '5.43',
    model: 'YubiKey OTP+FIDO+CCID',
    model_id: '0407',
    serial: '',
    class: '0',
    subclass: '10',
    protocol: '1',
    removable: 1,
  })
})

test('a device that reports nothing has blank columns', () => {
  const { version, vendor, removable, usb_address } = rowOf({ removable: 'fixed' })
  assert.deepEqual([version, vendor, removable, usb_address], ['', '', 0, 0])
})
