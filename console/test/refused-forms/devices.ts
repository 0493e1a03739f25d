import { MergePreview } from '@muster/contract/console-merges.ts'
import { askAsPage } from '../browser.ts'
import { page } from '../signed-in.ts'
import { button, choose, dialog, type Form, fill, typeNumber } from './form.ts'

const [mergeExample] = (MergePreview as unknown as { readonly examples: readonly object[] }).examples

const device: readonly Form[] = [
  {
    what: 'the name and note of a device',
    of: 'devices/edit-device-dialog.tsx',
    path: '/devices/$deviceId',
    operation: 'describeDevice',
    send: async () => {
      await button('Edit').click()
      await dialog().getByLabel('Name').fill('Another')
      await button('Save the device').click()
    },
  },
  {
    what: 'an owner of a device',
    of: 'devices/assign-owner-dialog.tsx',
    path: '/devices/$deviceId',
    operation: 'assignDeviceOwner',
    send: async () => {
      await choose('Assign owner…')
      await dialog().getByLabel('Person').fill('long-1@halden.example')
      await dialog()
        .getByRole('button', { name: /long-1@halden.example/ })
        .click()
      await dialog()
        .getByRole('button', { name: /^Register to/ })
        .click()
    },
  },
  {
    what: 'who may sign in with a device',
    of: 'devices/sign-in-mode-dialog.tsx',
    path: '/devices/$deviceId',
    operation: 'updateDeviceAuthenticationMode',
    send: async () => {
      await choose('Who may sign in…')
      await button('Change who may sign in').click()
    },
  },
  {
    what: 'devices that are merged',
    of: 'devices/merge-dialog.tsx',
    path: '/devices/$deviceId',
    operation: 'mergeDevices',
    // Whichever two they are: not every pair is merged.
    reads: { previewDeviceMerge: () => ({ ...mergeExample, needs: [], needs_confirmation: false }) },
    send: async () => {
      const { body } = await askAsPage(page, 'GET', '/views/devices')
      const shown = new URL(page.url()).pathname.split('/').at(-1)
      const other = body.data.find(({ id }: { id: string }) => id !== shown)
      await choose('Merge…')
      await dialog().getByLabel('The other record of this machine').fill(other.name)
      await dialog().getByRole('region', { name: 'Devices found' }).getByRole('button').first().click()
      await button('Merge the devices').click()
    },
  },
  {
    what: 'an exemption',
    of: 'issues/exempt-dialog.tsx',
    path: '/issues/$issueId',
    operation: 'exemptCheckOnDevice',
    send: async () => {
      await choose('Exempt…')
      await button('Exempt this device').click()
    },
  },
]

const chooseRow = () => page.locator('tbody input[type=checkbox]').first().check()

const many: readonly Form[] = [
  {
    what: 'devices that become members of a group',
    of: 'devices/add-to-group.tsx',
    path: '/devices',
    operation: 'addDeviceGroupMembers',
    send: async () => {
      await chooseRow()
      await button('Add to group…').click()
      await dialog().getByLabel('Group').selectOption('Laptops')
      await dialog()
        .getByRole('button', { name: /^Add \d+ device/ })
        .click()
    },
  },
  {
    what: 'an owner of several devices',
    of: 'devices/assign-many.tsx',
    path: '/devices',
    operation: 'registerDevices',
    send: async () => {
      await chooseRow()
      await button('Assign owner…').click()
      await dialog().getByRole('button', { name: /@/ }).first().click()
      const typed = dialog().getByLabel(/^Type \d+ to continue/)
      const register = dialog().getByRole('button', { name: /^Register/ })
      await register.waitFor()
      if ((await typed.count()) > 0) await typeNumber()
      await register.click()
    },
  },
  {
    what: 'several devices that nobody is to own',
    of: 'devices/unregister-many.tsx',
    path: '/devices?owner=registered',
    operation: 'unregisterDevices',
    send: async () => {
      await chooseRow()
      await button(/^Unregister…/).click()
      const unregister = dialog().getByRole('button', { name: /^Unregister/ })
      await unregister.waitFor()
      if (
        (await dialog()
          .getByLabel(/^Type /)
          .count()) > 0
      )
        await typeNumber()
      await unregister.click()
    },
  },
  {
    what: 'a saved view',
    of: 'components/saved-views.tsx',
    path: '/devices?q=mac',
    operation: 'createSavedView',
    send: async () => {
      await button('Save view…').click()
      await dialog().getByLabel('Name').fill('Macs')
      await button('Save view').click()
    },
  },
]

const requests: readonly Form[] = (['exemption', 'registration'] as const).flatMap((kind) =>
  (['Deny', 'Approve'] as const).map((verb) => ({
    what: `${verb === 'Deny' ? 'a denied' : 'an approved'} ${kind}`,
    of: 'requests/decision-dialog.tsx',
    path: `/requests/${kind}s/$requestId`,
    operation: kind === 'exemption' ? 'decideExemptionRequest' : 'decideRegistrationRequest',
    send: async () => {
      await button(`${verb}…`).click()
      await button(`${verb} the request`).click()
    },
  })),
)

const queries: readonly Form[] = [
  {
    what: 'a live query',
    of: 'live-queries/new-live-query-page.tsx',
    path: '/live-queries/new',
    operation: 'createLiveQueryCampaign',
    send: async () => {
      await fill('Name', 'Uptime')
      await page.getByLabel('All Macs').check()
      await button(/^Run/).click()
    },
  },
  {
    what: 'a reporting query',
    of: 'reporting/new-report-page.tsx',
    path: '/reporting/queries/new',
    operation: 'createReportingQuery',
    send: async () => {
      await fill('Name', 'Devices')
      await fill('SQL over the reporting tables', 'select 1 as one')
      await button('Save and run').click()
    },
  },
  {
    what: 'a changed reporting query',
    of: 'reporting/report-editor.tsx',
    path: '/reporting/queries/$queryId',
    operation: 'editReportingQuery',
    send: async () => {
      await fill('Name', 'Another')
      await button('Save the name').click()
    },
  },
]

export const deviceForms: readonly Form[] = [...device, ...many, ...requests, ...queries]
