import type { InventoryCase } from './inventory-case.ts'
import { windowsMachineRows } from './inventory-rows-windows-machine.ts'
import type { Tables } from './osquery-database.ts'

type Row = Tables[string][number]

const platform = 'windows'
const mondoo = "mondoo mql's and the GLPI agent's test data"
const entra = 'S-1-12-1-1778064242-1251273316-772277320-2482684374'
const nameless = "osquery #7257 and osquery's source"

const drive = (of: string, source: string, row: Row, encrypted: string, status: string): InventoryCase => ({
  ...{ platform, table: 'device_disk_encryption', of, source },
  tables: { bitlocker_info: [{ device_id: 'volume', drive_letter: 'C:', ...row }] },
  says: [{ path: 'C:', encrypted, status }],
})

const bitlocker = (protection: number | string, conversion: number | string, method = 'XTS_AES_128'): Row => ({
  ...{ protection_status: protection, conversion_status: conversion, encryption_method: method, version: 2 },
})

const drives: InventoryCase[] = [
  drive('a protected drive', mondoo, bitlocker(1, 1), '1', 'fully encrypted'),
  drive('a stick that was never initialized', mondoo, bitlocker(0, 0, 'None'), '0', 'not encrypted'),
  drive('a drive whose protection is suspended', 'MSEndpointMgr Intune #77', bitlocker(0, 1), '0', 'fully encrypted'),
  drive(
    'a decrypted drive of Windows 11 26100 with a stale protection_status',
    'osquery pull request 8931',
    { ...bitlocker(1, 0, 'None'), percentage_encrypted: 0 },
    ...(['0', 'not encrypted'] as const),
  ),
  drive('a drive that is being encrypted', "Microsoft's GetConversionStatus", bitlocker(1, 2), '1', 'encrypting'),
  drive('a drive that is being decrypted', "Microsoft's GetConversionStatus", bitlocker(1, 3), '0', 'decrypting'),
  drive('a drive with paused encryption', "Microsoft's GetConversionStatus", bitlocker(1, 4), '1', 'encryption paused'),
  drive('a drive with paused decryption', "Microsoft's GetConversionStatus", bitlocker(1, 5), '0', 'decryption paused'),
  drive('a locked drive', "Microsoft's GetProtectionStatus", { ...bitlocker(2, 0, 'None'), lock_status: 1 }, '', ''),
  drive('a drive whose method did not answer', "osquery's source", bitlocker(-1, 1), '', 'fully encrypted'),
  drive('a drive of which nothing is told', "osquery's source", bitlocker('', ''), '', ''),
]

const people: Tables = {
  users: [
    { uid: 1001, gid: 513, username: 'ana', directory: String.raw`C:\Users\ana`, uuid: 'S-1-5-21-1-2-3-1001' },
    { uid: 2482684374, gid: '4294967295', gid_signed: -1, directory: String.raw`C:\Users\Bo`, uuid: entra },
  ],
}
const signedInAs = (username: string, rest: Record<string, string> = {}) => ({ username, ...rest })

const accounts: InventoryCase[] = [
  {
    ...{ platform, table: 'device_users', of: 'an Entra machine with a person without a name', source: nameless },
    tables: people,
    says: [
      signedInAs('ana', { uid: '1001', gid: '513' }),
      signedInAs('', { uid: '2482684374', gid: '', directory: String.raw`C:\Users\Bo`, uuid: entra }),
    ],
  },
  {
    ...{ platform, table: 'device_users', of: 'an agent that gives the number with its sign', source: nameless },
    tables: { users: [{ uid: 2482684374, gid: -1, uuid: entra }] },
    says: [signedInAs('', { gid: '' })],
  },
  {
    ...{ platform, table: 'device_ssh_keys', of: 'a person without a name', source: nameless },
    tables: { ...people, user_ssh_keys: [{ uid: 2482684374, path: String.raw`C:\Users\Bo\.ssh\id`, encrypted: 0 }] },
    says: [signedInAs(entra, { encrypted: '0' })],
  },
  {
    ...{ platform, table: 'device_chrome_extensions', of: 'a person without a name', source: nameless },
    tables: { ...people, chrome_extensions: [{ uid: 2482684374, browser_type: 'edge', state: '' }] },
    says: [signedInAs(entra, { browser_type: 'edge', state: '' })],
  },
  {
    ...{ platform, table: 'device_firefox_addons', of: 'a person without a name', source: nameless },
    tables: { ...people, firefox_addons: [{ uid: 2482684374, name: 'uBlock Origin', active: 1, disabled: 0 }] },
    says: [signedInAs(entra, { name: 'uBlock Origin' })],
  },
  {
    ...{
      platform,
      table: 'device_user_groups',
      of: 'a German Windows',
      source: "osquery's source; Microsoft's well-known groups",
    },
    tables: {
      ...people,
      user_groups: [
        { uid: 1001, gid: 544 },
        { uid: 2482684374, gid: 545 },
      ],
      groups: [
        { gid: 544, groupname: 'Administratoren', group_sid: 'S-1-5-32-544' },
        { gid: 545, groupname: 'Benutzer', group_sid: 'S-1-5-32-545' },
      ],
    },
    says: [
      signedInAs('ana', { groupname: 'Administratoren', gid: '544' }),
      signedInAs(entra, { groupname: 'Benutzer', gid: '545' }),
    ],
  },
]

/** What osquery makes of an IPv6 address: 30 bytes, of which each second one is NUL. */
const rawAddress = [0x20, 0x01, 0x0d, 0xb8].map((byte) => `${String.fromCodePoint(byte)}\0`).join('')

const sessions: InventoryCase = {
  ...{
    platform,
    table: 'device_logged_in_users',
    of: 'sessions from everywhere',
    source: "osquery's source, logged_in_users.cpp",
  },
  tables: {
    logged_in_users: [
      { type: 'active', user: 'ana', tty: 'console', host: '' },
      { type: 'active', user: 'bo', tty: 'rdp-tcp#1', host: '192.0.2.7' },
      { type: 'active', user: 'cy', tty: 'rdp-tcp#2', host: rawAddress.padEnd(30, '\0') },
      { type: 'active', user: 'di', tty: 'rdp-tcp#3', host: 'BÜRO-技術' },
      { type: 'active', user: '', tty: 'rdp-tcp#4', host: '' },
    ],
  },
  says: [
    { username: 'ana', type: 'active', host: '' },
    { username: 'bo', host: '192.0.2.7' },
    { username: 'cy', host: '' },
    { username: 'di', host: 'BÜRO-技術' },
  ],
}

export const windowsInventoryRows: InventoryCase[] = [...drives, ...accounts, sessions, ...windowsMachineRows]
