import { CheckConfiguration, CheckConfigurationRequest } from '../check-configurations.ts'
import { CheckRefresh, CheckRefreshRequest } from '../check-refreshes.ts'
import { CheckResult, checkResultSearch } from '../check-results.ts'
import { Check, checkSearch } from '../checks.ts'
import { CustomCheckDraft, customCheckDraftSearch } from '../custom-check-drafts.ts'
import { defineOperations, json, list } from './define-operations.ts'

export const checkOperations = defineOperations({
  listChecks: list({
    path: '/checks',
    permission: 'read',
    summary: 'List checks',
    tag: 'Checks',
    search: checkSearch,
    record: Check,
  }),
  getCheck: json({
    method: 'GET',
    path: '/checks/:id',
    permission: 'read',
    summary: 'Read a check',
    tag: 'Checks',
    answer: Check,
  }),
  getCheckConfiguration: json({
    method: 'GET',
    path: '/checks/:checkId/configurations',
    permission: 'read',
    summary: 'Read the configuration of a check',
    tag: 'Checks',
    answer: CheckConfiguration,
  }),
  updateCheckConfiguration: json({
    method: 'PATCH',
    path: '/checks/:checkId/configurations',
    permission: 'configure_checks',
    summary: 'Change the configuration of a check',
    description:
      'Only the members you send change; `options` is replaced as a whole. Devices are evaluated again in the background.',
    tag: 'Checks',
    body: CheckConfigurationRequest,
    answer: CheckConfiguration,
  }),
  listCheckResultsOfDevice: list({
    path: '/devices/:deviceId/check_results',
    permission: 'read',
    summary: 'List the check results of a device',
    tag: 'Checks',
    search: checkResultSearch,
    record: CheckResult,
  }),
  listCheckResultsOfCheck: list({
    path: '/checks/:checkId/results',
    permission: 'read',
    summary: 'List the results of a check',
    tag: 'Checks',
    search: checkResultSearch,
    record: CheckResult,
  }),
  createCheckRefresh: json({
    method: 'POST',
    path: '/devices/:deviceId/check_refreshes',
    permission: 'refresh_check',
    summary: 'Run a check on a device again',
    description: 'The check runs when the device next checks in, usually within a minute.',
    tag: 'Checks',
    body: CheckRefreshRequest,
    answer: CheckRefresh,
  }),
  listCustomCheckDrafts: list({
    path: '/custom_check_drafts',
    permission: 'read',
    feature: 'custom_checks',
    versions: ['2026-04-07'],
    summary: 'List drafts of custom checks',
    tag: 'Custom check drafts',
    search: customCheckDraftSearch,
    record: CustomCheckDraft,
  }),
  getCustomCheckDraft: json({
    method: 'GET',
    path: '/custom_check_drafts/:id',
    permission: 'read',
    feature: 'custom_checks',
    versions: ['2026-04-07'],
    summary: 'Read a draft of a custom check',
    tag: 'Custom check drafts',
    answer: CustomCheckDraft,
  }),
  deleteCustomCheckDraft: json({
    method: 'DELETE',
    path: '/custom_check_drafts/:id',
    permission: 'manage_custom_check_drafts',
    feature: 'custom_checks',
    versions: ['2026-04-07'],
    summary: 'Delete a draft of a custom check',
    description: 'Returns the draft as it was. A check published from it stays.',
    tag: 'Custom check drafts',
    answer: CustomCheckDraft,
  }),
})
