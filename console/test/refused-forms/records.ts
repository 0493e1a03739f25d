import { page } from '../signed-in.ts'
import { button, choose, dialog, type Form, fill } from './form.ts'

const people: readonly Form[] = [
  {
    what: 'a person',
    of: 'people/add-person-dialog.tsx',
    path: '/people',
    operation: 'addPerson',
    send: async () => {
      await button('Add person…').click()
      await dialog().getByLabel('Name').fill('Ada')
      await dialog().getByLabel('E-mail').fill('ada@halden.example')
      await button('Add person').click()
    },
  },
  {
    what: 'a code from IT',
    of: 'people/code-dialog.tsx',
    path: '/people/$personId',
    operation: 'createBypassCode',
    reads: {
      listSignInConnections: (answer) => ({
        ...answer,
        data: answer.data.map((connection: object) => ({ ...connection, mode: 'observe' })),
      }),
    },
    send: async () => {
      await button('Give a code…').click()
      await dialog().getByLabel('Reason').fill('A repair')
      await button('Give the code').click()
    },
  },
]

const groups: readonly Form[] = [
  {
    what: 'a device group',
    of: 'groups/new-group-dialog.tsx',
    path: '/groups/devices',
    operation: 'createDeviceGroup',
    send: async () => {
      await button('New group').click()
      await dialog().getByLabel('Name').fill('Laptops')
      await button('Create group').click()
    },
  },
  {
    what: 'a changed device group',
    of: 'groups/change-group-dialog.tsx',
    path: '/groups/devices/$groupId',
    operation: 'changeDeviceGroup',
    send: async () => {
      await choose('Edit…')
      await button('Save the group').click()
    },
  },
  ...(['devices', 'people'] as const).map(
    (kind): Form => ({
      what: `${kind} that are added to a group`,
      of: 'groups/add-members-dialog.tsx',
      path: `/groups/${kind}/$groupId`,
      operation: kind === 'devices' ? 'addDeviceGroupMembers' : 'addPersonGroupMembers',
      send: async () => {
        await button(`Add ${kind}`).click()
        await dialog().getByRole('checkbox').first().check()
        await dialog()
          .getByRole('button', { name: /^Add 1 / })
          .click()
      },
    }),
  ),
]

const checks: readonly Form[] = [
  {
    what: 'the configuration of a check',
    of: 'checks/configuration/configuration-editor.tsx',
    path: '/checks/$checkId/configuration',
    operation: 'savePreviewedCheckConfiguration',
    send: async () => {
      await page.getByLabel('Owners may snooze for 24 h, once in 7 days').click()
      await page.locator('.configuration-form').waitFor()
      await page.locator('button[data-submit]').click()
    },
  },
  {
    what: 'tags of a check',
    of: 'checks/tag-editor.tsx',
    path: '/checks/$checkId/configuration',
    operation: 'setCheckTags',
    send: async () => {
      await fill('Tag to add', 'Baseline')
      await button('Add the tag').click()
    },
  },
  {
    what: 'a new draft',
    of: 'drafts/new-draft-page.tsx',
    path: '/checks/new',
    operation: 'createCustomCheckDraft',
    send: async () => {
      await fill('Name', 'Hosts')
      await button('Create draft').click()
    },
  },
  {
    what: 'a draft',
    of: 'drafts/draft-page.tsx',
    path: '/checks/drafts/$draftId',
    operation: 'editCustomCheckDraft',
    send: async () => {
      await fill('Name', 'Another')
      await button('Save the draft').click()
    },
  },
  {
    what: 'a draft that is tried out',
    of: 'drafts/try-out.tsx',
    path: '/checks/drafts/$draftId',
    operation: 'createLiveQueryCampaign',
    send: async () => {
      await page.getByLabel('Online device').selectOption({ index: 1 })
      await button('Run on this device').click()
    },
  },
]

export const recordForms: readonly Form[] = [...people, ...groups, ...checks]
