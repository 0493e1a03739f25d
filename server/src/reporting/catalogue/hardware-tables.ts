import { columnList, hourly, type InventoryTable } from '../reporting-table.ts'
import { toldNumber } from './told-values.ts'

const category = 'Hardware and disks'

const unixVolumes = `SELECT path, device, type, CAST(blocks * blocks_size AS INTEGER) AS size_bytes, CAST(blocks_available * blocks_size / 1073741824 AS INTEGER) AS free_gib FROM mounts WHERE device LIKE '/dev/%'`

const volumes: InventoryTable = {
  kind: 'inventory',
  name: 'device_volumes',
  category,
  description: 'Mounted volumes, their size and what is free.',
  intervalSeconds: hourly,
  columns: columnList(
    {
      path: 'Where the volume is mounted; the drive on Windows.',
      device: 'The device that it lies on.',
      type: 'File system.',
      size_bytes: 'Size in bytes.',
      free_gib: 'Free space in whole gibibytes.',
    },
    ['size_bytes', 'free_gib'],
  ),
  queries: {
    darwin: unixVolumes,
    linux: unixVolumes,
    windows: `SELECT device_id AS path, '' AS device, file_system AS type, CASE WHEN size >= 0 THEN size ELSE '' END AS size_bytes, CASE WHEN free_space >= 0 THEN CAST(free_space / 1073741824 AS INTEGER) ELSE '' END AS free_gib FROM logical_drives WHERE file_system <> ''`,
  },
}

// Up to osquery 5.23.1 protection_status can stay 1 after a drive was decrypted. A locked drive tells nothing, and osquery
// fills in what would be a drive without encryption.
const bitlockerQuery = `SELECT device_id AS name, drive_letter AS path,
  CASE WHEN coalesce(protection_status, -1) NOT IN (0, 1) OR coalesce(conversion_status, -1) < 0 THEN ''
    ELSE protection_status = 1 AND conversion_status IN (1, 2, 4) AND coalesce(encryption_method, '') <> 'None' END AS encrypted,
  encryption_method AS type,
  CASE WHEN protection_status = 2 THEN ''
    ELSE CASE conversion_status WHEN 0 THEN 'not encrypted' WHEN 1 THEN 'fully encrypted' WHEN 2 THEN 'encrypting'
      WHEN 3 THEN 'decrypting' WHEN 4 THEN 'encryption paused' WHEN 5 THEN 'decryption paused' ELSE '' END END AS status
FROM bitlocker_info`

const diskEncryption: InventoryTable = {
  kind: 'inventory',
  name: 'device_disk_encryption',
  category,
  description: 'Disks and whether they are encrypted: FileVault, LUKS and BitLocker.',
  intervalSeconds: hourly,
  columns: columnList(
    {
      name: 'The disk or volume.',
      path: 'Where it is mounted.',
      encrypted:
        '1 when it is encrypted: on Macs with Apple silicon or a T2 chip also while FileVault is off. On Windows, 1 when BitLocker protects the drive, 0 also while it is suspended, blank where Windows does not tell.',
      type: 'Method of encryption.',
      status:
        'On macOS, whether FileVault protects the disk: on, off or unknown. On Windows fully encrypted, not encrypted, encrypting, decrypting, encryption paused or decryption paused; blank for others. On Linux as osquery names it.',
    },
    ['encrypted'],
  ),
  queries: {
    darwin: `SELECT DISTINCT d.name, coalesce(m.path, '') AS path, d.encrypted, d.type, d.filevault_status AS status FROM disk_encryption d LEFT JOIN mounts m ON m.device = d.name`,
    linux: `SELECT DISTINCT d.name, coalesce(m.path, '') AS path, d.encrypted, d.type, d.encryption_status AS status FROM disk_encryption d LEFT JOIN mounts m ON m.device_alias = d.name`,
    windows: bitlockerQuery,
  },
}

// osquery has the columns of a platform on that platform only.
const firmwareQuery = `SELECT ${toldNumber('secure_boot')}, '' AS secure_mode, ${toldNumber('setup_mode')}, '' AS description FROM secureboot`

const secureBoot: InventoryTable = {
  kind: 'inventory',
  name: 'device_secure_boot',
  category,
  description: 'Whether the firmware starts signed systems only.',
  intervalSeconds: hourly,
  columns: columnList(
    {
      secure_boot:
        '1 when secure boot is on; on Macs with Apple silicon 1 for Reduced Security too. Blank where the system does not tell, as on those Macs in other languages than English.',
      secure_mode: 'On Intel Macs with a T2 chip: 1 full, 2 medium, 0 no security. Blank on other machines.',
      setup_mode: 'On Linux and Windows: 1 when keys may be changed.',
      description: 'On Macs with Apple silicon: the policy as macOS names it in its language, such as Full Security.',
    },
    ['secure_boot', 'secure_mode', 'setup_mode'],
  ),
  queries: {
    darwin: `SELECT secure_boot, secure_mode, '' AS setup_mode, description FROM secureboot`,
    linux: firmwareQuery,
    windows: firmwareQuery,
  },
}

const usbQuery = `SELECT DISTINCT vendor, vendor_id, model, model_id, serial, version, ${toldNumber('removable')} FROM usb_devices`

const usbDevices: InventoryTable = {
  kind: 'inventory',
  name: 'device_usb_devices',
  category,
  description: 'What is plugged into USB when the device reports.',
  intervalSeconds: hourly,
  columns: columnList(
    {
      vendor: 'Maker.',
      vendor_id: 'Number of the maker.',
      model: 'Model.',
      model_id: 'Number of the model.',
      serial: 'Serial number.',
      version: 'Version that the device names.',
      removable: '1 when it can be taken out; on Linux 1 for built-in devices too, or blank.',
    },
    ['removable'],
  ),
  queries: { darwin: usbQuery, linux: usbQuery },
}

const battery: InventoryTable = {
  kind: 'inventory',
  name: 'device_battery',
  category,
  description: 'Batteries of Macs and their health. Charge level is not collected.',
  intervalSeconds: hourly,
  columns: columnList(
    {
      manufacturer: 'Maker.',
      model: 'Model.',
      serial_number: 'Serial number.',
      cycle_count: 'How often it was charged.',
      health: 'Good, Fair or Poor.',
      condition: 'Normal, Service Needed or Permanent Failure.',
      designed_capacity: 'Capacity when new, in mAh.',
      max_capacity: 'Capacity now, in mAh.',
    },
    ['cycle_count', 'designed_capacity', 'max_capacity'],
  ),
  queries: {
    darwin:
      'SELECT manufacturer, model, serial_number, cycle_count, health, condition, designed_capacity, max_capacity FROM battery',
  },
}

// Windows agents from before June 2026 have no issuer2, which osquery prefers.
const certificatesQuery = `SELECT DISTINCT common_name, issuer, ${toldNumber('ca')}, self_signed, not_valid_before, not_valid_after, key_algorithm, key_strength, sha1, serial, path FROM certificates`

const certificates: InventoryTable = {
  kind: 'inventory',
  name: 'device_certificates',
  category: 'Security',
  description: 'Certificates in the stores of the system. Private keys are not read.',
  aboutPeople: 'Personal certificates contain the name or e-mail address of their owner.',
  intervalSeconds: 4 * hourly,
  columns: columnList(
    {
      common_name: 'Whom the certificate names.',
      issuer: 'Who issued it.',
      ca: '1 when it may issue certificates; blank on Windows, where osquery does not tell.',
      self_signed: '1 when it signed itself.',
      not_valid_before: 'From when on it is valid, in seconds since 1970.',
      not_valid_after: 'Until when it is valid, in seconds since 1970.',
      key_algorithm: 'Kind of key.',
      key_strength: 'Size of the key or name of the curve.',
      sha1: 'Its fingerprint.',
      serial: 'Serial number.',
      path: 'Store or file that holds it.',
    },
    ['ca', 'self_signed', 'not_valid_before', 'not_valid_after'],
  ),
  queries: { darwin: certificatesQuery, linux: certificatesQuery, windows: certificatesQuery },
}

export const hardwareTables = [volumes, diskEncryption, secureBoot, usbDevices, battery, certificates]
