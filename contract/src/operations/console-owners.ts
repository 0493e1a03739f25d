import {
  AddedPerson,
  OwnerListPreview,
  OwnerListRequest,
  OwnerRulePreview,
  OwnerRuleQuery,
  PersonCreation,
  Registrations,
  RegistrationsRequest,
} from '../console-owners.ts'
import { defineOperations, json } from './define-operations.ts'

export const ownerOperations = defineOperations({
  registerDevices: json({
    method: 'POST',
    path: '/registrations',
    permission: 'update_devices',
    summary: 'Register several devices to people',
    tag: 'Console',
    body: RegistrationsRequest,
    answer: Registrations,
  }),
  previewOwnerList: json({
    method: 'POST',
    path: '/owner_list_previews',
    permission: 'update_devices',
    summary: 'Preview what a list of owners would change',
    tag: 'Console',
    body: OwnerListRequest,
    answer: OwnerListPreview,
  }),
  previewOwnerRule: json({
    method: 'GET',
    path: '/views/owner_rule_preview',
    permission: 'read',
    summary: 'Preview which devices the account rule would assign to whom',
    tag: 'Console',
    query: OwnerRuleQuery,
    answer: OwnerRulePreview,
  }),
  addPerson: json({
    method: 'POST',
    path: '/people',
    permission: 'read',
    inConsole: { power: 'manage_settings' },
    summary: 'Add a person',
    tag: 'Console',
    body: PersonCreation,
    answer: AddedPerson,
  }),
})
