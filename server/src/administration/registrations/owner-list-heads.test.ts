import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readOwnerList } from './read-owner-list.ts'

type Case = {
  /** Where the names of the columns are from. */
  readonly page: string
  readonly names: string
  readonly line: string
  /** The columns that count. */
  readonly columns: readonly string[]
  readonly read: readonly string[]
}

/** Lists as other products write them, each with the public page that has its names. */
const products: Readonly<Record<string, Case>> = {
  'Intune, All devices → Export': {
    page: 'https://github.com/MicrosoftDocs/memdocs/pull/1866',
    names:
      'Device ID,Device name,Enrollment date,Last check-in,Azure AD Device ID,OS version,Azure AD registered,EAS activation ID,Serial number,Manufacturer,Model,EAS activated,IMEI,Last EAS sync time,EAS reason,EAS status,Compliance grace period expiration,Security patch level,Wi-Fi MAC,MEID,Subscriber carrier,Total storage,Free storage,Management name,Category,UserId,Primary user UPN,Primary user email address,Primary user display name,WiFiIPv4Address,WiFiSubnetID,Compliance,Managed by,Ownership,Device state,Intune registered,Supervised,Encrypted,OS,SkuFamily,JoinType,Phone number,Jailbroken,ICCID,EthernetMAC',
    line: '0f1e,ANA-PC,2026-01-02,2026-11-20,aa,10.0,True,,PF3K9Z2T,LENOVO,21HE,False,,,,,,,,,,512,100,ANA-PC_Windows,,77,ana.ruiz@corp.example,ana@acme.example,Ana Ruiz,,,Compliant,Intune,Company,Managed,True,,True,Windows,,AzureADJoined,,,,',
    columns: ['Serial number', 'Primary user UPN', 'Primary user email address'],
    read: ['PF3K9Z2T', 'ana.ruiz@corp.example', 'ana@acme.example'],
  },
  'Microsoft Graph, managedDevice by Export-Csv': {
    page: 'https://learn.microsoft.com/en-us/graph/api/resources/intune-devices-manageddevice',
    names: '"id","userId","deviceName","emailAddress","userPrincipalName","model","serialNumber","userDisplayName"',
    line: '"1","2","ANA-PC","ana@acme.example","ana.ruiz@corp.example","21HE","PF3K9Z2T","Ana Ruiz"',
    columns: ['emailAddress', 'userPrincipalName', 'serialNumber'],
    read: ['PF3K9Z2T', 'ana@acme.example', 'ana.ruiz@corp.example'],
  },
  'Jamf, advanced computer search': {
    page: 'https://gist.github.com/brunerd/0bdc10e879c68cd71e82f0feba4b4390',
    names: 'Computer Name,JSS Computer ID,Model,Serial Number,UDID,Username,Full Name,Email Address',
    line: 'ana-mac,2,"MacBook Pro (16-inch, 2019)",C02A,2CA8977B-05A1-4CF0-9E06-24C4AA8115BC,ana,Ana Ruiz,ana@acme.example',
    columns: ['Serial Number', 'UDID', 'Username', 'Email Address'],
    read: ['C02A', '2CA8977B-05A1-4CF0-9E06-24C4AA8115BC', 'ana@acme.example'],
  },
  'Jamf, the same by its API': {
    page: 'https://gist.github.com/brunerd/0bdc10e879c68cd71e82f0feba4b4390',
    names: 'name,udid,Computer_Name,Username,Serial_Number,Email_Address',
    line: 'ana-mac,2ca8977b-05a1-4cf0-9e06-24c4aa8115bc,ana-mac,ana,C02A,ana@acme.example',
    columns: ['udid', 'Username', 'Serial_Number', 'Email_Address'],
    read: ['2ca8977b-05a1-4cf0-9e06-24c4aa8115bc', 'C02A', 'ana@acme.example'],
  },
  'Kandji, devices report': {
    page: 'https://github.com/kandji-inc/support/blob/main/api-tools/devices-report/devices_report.py',
    names: 'serial_number,device_id,device_name,model,platform,os_version,user,asset_tag,blueprint_id,blueprint_name',
    line: `C02A,1b2c,Ana's Mac,"MacBook Pro (16-inch, 2019)",Mac,15.1,"{'email': 'ana@acme.example', 'name': 'Ana Ruiz', 'id': 7, 'is_archived': False}",,2,Standard`,
    columns: ['serial_number', 'user'],
    read: ['C02A', 'ana@acme.example'],
  },
  'Google, ChromeOS devices by GAM': {
    page: 'https://developers.google.com/admin-sdk/directory/v1/guides/manage-chrome-devices',
    names:
      'deviceId,annotatedAssetId,annotatedLocation,annotatedUser,model,orgUnitPath,serialNumber,status,recentUsers',
    line: 'd1,,Berlin,ana@acme.example,Chromebook,/,5CD1234,ACTIVE,ben@acme.example',
    columns: ['annotatedUser', 'serialNumber'],
    read: ['5CD1234', 'ana@acme.example'],
  },
  'Snipe-IT, assets': {
    page: 'https://snipe-it.readme.io/docs/importing-assets',
    names:
      'Full Name,Email,Username,item Name,Category,Model name,Manufacturer,Model Number,Serial,Asset Tag,Location,Notes,Purchase Date',
    line: 'Ana Ruiz,ana@acme.example,aruiz,Laptop,Laptops,MacBook Pro,Apple,A2991,C02A,MU-1,Berlin,"blue, old",2026-01-02',
    columns: ['Email', 'Username', 'Serial'],
    read: ['C02A', 'ana@acme.example'],
  },
}

for (const [product, { page, names, line, columns, read }] of Object.entries(products)) {
  test(`the list of ${product} is read by the names of its columns`, async () => {
    for (const [separator, ending] of [
      [',', '\r\n'],
      [';', '\n'],
      ['\t', '\n'],
    ] as const) {
      // As programs of other countries save it. Their separator is none of those within the cells of the example.
      const written = (text: string) =>
        separator === ',' ? text : text.split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/).join(separator)
      const { form, rows } = await readOwnerList(`${written(names)}${ending}${written(line)}${ending}`)
      assert.deepEqual(
        [form.separator, form.columns.map(({ name }) => name), rows.map(({ cells }) => cells.map(({ text }) => text))],
        [separator, columns, [read]],
        page,
      )
    }
  })
}
