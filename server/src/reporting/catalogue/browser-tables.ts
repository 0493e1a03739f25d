import { columnList, hourly, type InventoryTable } from '../reporting-table.ts'
import { accountName, accountNameText } from './told-values.ts'

const category = 'Browsers'
const aboutPeople = 'Names which account uses which extension. Pages visited, bookmarks and passwords are not read.'

const chromeQuery = `SELECT e.browser_type, ${accountName}, e.profile, e.name, e.identifier, e.version, e.permissions, e.from_webstore, e.state
FROM users u CROSS JOIN chrome_extensions e USING (uid)`

const chromeExtensions: InventoryTable = {
  kind: 'inventory',
  name: 'device_chrome_extensions',
  category,
  description: 'Extensions of Chrome, Edge, Brave and other browsers of the Chromium family.',
  aboutPeople,
  intervalSeconds: hourly,
  columns: columnList(
    {
      browser_type: 'The browser, such as chrome or edge.',
      username: accountNameText('Account that has the extension'),
      profile: 'Profile of the browser.',
      name: 'Name of the extension.',
      identifier: 'Its identifier in the store.',
      version: 'Its version.',
      permissions: 'What it may do, separated by commas.',
      from_webstore: 'true when it came from the store.',
      state: '1 on, 0 off; blank where the browser does not tell: Chrome, Edge and Brave from 136 on.',
    },
    ['state'],
  ),
  queries: { darwin: chromeQuery, linux: chromeQuery, windows: chromeQuery },
}

const firefoxQuery = `SELECT ${accountName}, a.name, a.identifier, a.type, a.version, a.creator, a.source_url, a.active, a.disabled
FROM users u CROSS JOIN firefox_addons a USING (uid)`

const firefoxAddons: InventoryTable = {
  kind: 'inventory',
  name: 'device_firefox_addons',
  category,
  description: 'Add-ons of Firefox.',
  aboutPeople,
  intervalSeconds: hourly,
  columns: columnList(
    {
      username: accountNameText('Account that has the add-on'),
      name: 'Name of the add-on.',
      identifier: 'Its identifier.',
      type: 'Extension, theme or the like.',
      version: 'Its version.',
      creator: 'Who made it.',
      source_url: 'Where it was installed from.',
      active: '1 when it is in use.',
      disabled: '1 when it was switched off.',
    },
    ['active', 'disabled'],
  ),
  queries: { darwin: firefoxQuery, linux: firefoxQuery, windows: firefoxQuery },
}

// osquery's path ends in the pattern of files that it looked for within the app.
const safariQuery = `SELECT ${accountName}, e.name, e.identifier, e.version, rtrim(substr(e.path, 1, instr(e.path || '/Contents/', '/Contents/') - 1), '/') AS path
FROM users u CROSS JOIN safari_extensions e USING (uid)`

const safariExtensions: InventoryTable = {
  kind: 'inventory',
  name: 'device_safari_extensions',
  category,
  description:
    'Extensions of Safari that apps in /Applications bring, on or off. The table is empty unless osquery has Full Disk Access.',
  aboutPeople,
  intervalSeconds: hourly,
  columns: columnList({
    username: accountNameText('Account that has the extension'),
    name: 'Name of the extension.',
    identifier: 'Its identifier.',
    version: 'Its version.',
    path: 'The app that brings it.',
  }),
  queries: { darwin: safariQuery },
}

export const browserTables = [chromeExtensions, firefoxAddons, safariExtensions]
