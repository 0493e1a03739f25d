import { page } from '../signed-in.ts'
import { button, dialog, type Form, fill } from './form.ts'

const keeping: readonly Form[] = [
  {
    what: 'the name of the organization',
    of: 'settings/organization-page.tsx',
    path: '/settings/organization',
    operation: 'renameOrganization',
    send: async () => {
      await fill('Name of the organization', 'Another')
      await button('Save the name').click()
    },
  },
  {
    what: 'retention',
    of: 'settings/retention-form.tsx',
    path: '/settings/retention',
    operation: 'updateSettings',
    send: async () => {
      const days = page.locator('.days-field input').first()
      await days.fill(String(Number(await days.inputValue()) + 1))
      await button('Save 1 change').click()
    },
  },
]

async function chooseList(): Promise<void> {
  await button('Choose a file…').waitFor()
  const file = { name: 'owners.csv', mimeType: 'text/csv', buffer: Buffer.from('serial,email\n') }
  await page.getByLabel('CSV file with owners').setInputFiles(file)
}

const enrolling: readonly Form[] = [
  {
    what: 'a SCIM token',
    of: 'settings/scim-page.tsx',
    path: '/settings/scim',
    operation: 'createScimToken',
    send: async () => {
      await button('New token…').click()
      await fill('Name', 'Okta')
      await button('Create token').click()
    },
  },
  {
    what: 'an enrollment secret',
    of: 'settings/enrollment-secret-dialog.tsx',
    path: '/settings/enrollment',
    operation: 'createEnrollmentSecret',
    send: async () => {
      await button('New secret…').click()
      await dialog().getByLabel('Name').first().fill('Laptops')
      await button('Create secret').click()
    },
  },
  {
    what: 'how first devices are registered',
    of: 'settings/first-device.tsx',
    path: '/settings/registration',
    operation: 'updateSettings',
    send: async () => {
      await page.locator('input[name=first-device]:not(:checked)').check()
      await button(/first devices( immediately)?$/).click()
    },
  },
  {
    what: 'the checks of first devices',
    of: 'settings/required-checks.tsx',
    path: '/settings/registration',
    operation: 'updateSettings',
    send: async () => {
      await page.locator('.check-choices input').first().check()
      await button('Require 1 check').click()
    },
  },
  {
    what: 'owners by account',
    of: 'settings/owner-rule.tsx',
    path: '/settings/registration',
    operation: 'updateSettings',
    send: async () => {
      await button('Preview and turn on…').click()
      await button('Turn on').click()
    },
  },
  {
    what: 'a list of owners',
    of: 'settings/owner-list.tsx',
    path: '/settings/registration',
    operation: 'previewOwnerList',
    send: chooseList,
  },
]

const listed = {
  ...{ separator: 'comma', names_line: 1, columns: [] },
  lines: [
    {
      ...{ line: 2, outcome: 'new', reason: null, cells: [] },
      device: { id: '1', name: 'laptop' },
      person: { id: '1', name: 'Ada', email: 'ada@halden.example' },
    },
  ],
}

const ownersOfList: Form = {
  what: 'the owners of a list',
  of: 'settings/owner-list-dialog.tsx',
  path: '/settings/registration',
  operation: 'registerDevices',
  reads: { previewOwnerList: () => listed },
  send: async () => {
    await chooseList()
    await button('Assign 1 owner').click()
  },
}

const administrators: readonly Form[] = [
  {
    what: 'an invitation',
    of: 'settings/invitation-dialog.tsx',
    path: '/settings/admins',
    operation: 'inviteAdministrator',
    send: async () => {
      await button('Invite…').click()
      await dialog().getByLabel('First name').fill('Ada')
      await dialog().getByLabel('E-mail').fill('ada@halden.example')
      await button('Create link').click()
    },
  },
  {
    what: 'what an administrator may do',
    of: 'settings/administrator-access.tsx',
    path: '/settings/admins/$administratorId',
    operation: 'updateAdministrator',
    send: async () => {
      await page.getByRole('radio', { name: /^Billing only/ }).check()
      await button(/^Save: /).click()
    },
  },
  {
    what: 'a second factor that is required',
    of: 'settings/required-factor.tsx',
    path: '/settings/sign-in',
    operation: 'updateSettings',
    send: async () => {
      await button('Require…').click()
      await button('Require a second factor').click()
    },
  },
]

export const settingForms: readonly Form[] = [...keeping, ...enrolling, ownersOfList, ...administrators]
