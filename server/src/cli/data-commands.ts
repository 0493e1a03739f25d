import { addConnectionCommand, addEntraConnectionCommand } from './commands/add-connection-commands.ts'
import {
  addAdminCommand,
  firstLinkCommand,
  inviteAdminCommand,
  listAdminsCommand,
  removeAdminCommand,
  resetAdminCommand,
  updateAdminCommand,
} from './commands/admin-commands.ts'
import { auditHeadCommand, verifyAuditCommand } from './commands/audit-commands.ts'
import {
  addExternalCheckCommand,
  deleteCheckCommand,
  enableCheckCommand,
  listCatalogueCommand,
  setBeginsBlockingOnCommand,
} from './commands/check-commands.ts'
import {
  deleteConnectionCommand,
  disableConnectionCommand,
  listConnectionsCommand,
  pauseConnectionCommand,
  resumeConnectionCommand,
  rollConnectionSecretCommand,
  setConnectionModeCommand,
  showConnectionCommand,
} from './commands/connection-commands.ts'
import { createStreamCommand } from './commands/create-stream-command.ts'
import { databaseFactsCommand } from './commands/database-facts-command.ts'
import {
  assignOwnersCommand,
  confirmRegistrationCommand,
  endExemptionCommand,
  exemptCheckCommand,
  mergeDevicesCommand,
  registerDeviceCommand,
  restoreDeviceCommand,
  snoozeCheckCommand,
} from './commands/device-commands.ts'
import {
  createDraftCommand,
  deleteDraftCommand,
  editDraftCommand,
  listDraftsCommand,
  publishDraftCommand,
  runDraftCommand,
  showDraftCommand,
} from './commands/draft-commands.ts'
import {
  createEnrollmentSecretCommand,
  listEnrollmentSecretsCommand,
  revokeEnrollmentSecretCommand,
} from './commands/enrollment-commands.ts'
import { exportCommand } from './commands/export-command.ts'
import {
  changeDeviceGroupCommand,
  createDeviceGroupCommand,
  createPersonGroupCommand,
  deleteDeviceGroupCommand,
} from './commands/group-commands.ts'
import { importCommand } from './commands/import-command.ts'
import {
  createLiveQueryCommand,
  deleteLiveQueryCommand,
  listLiveQueriesCommand,
  liveQueryResultsCommand,
} from './commands/live-query-commands.ts'
import {
  createOrganizationCommand,
  endOldAddressesCommand,
  listOrganizationsCommand,
  listSettingsCommand,
  renameOrganizationCommand,
  setBaseUrlCommand,
  setFeatureCommand,
  setSettingCommand,
} from './commands/organization-commands.ts'
import {
  buildPackagesCommand,
  downloadPackageCommand,
  listPackagesCommand,
  rebuildPackagesCommand,
} from './commands/package-commands.ts'
import { addPersonCommand } from './commands/people-commands.ts'
import { prepareSignInsCommand } from './commands/prepare-sign-ins-command.ts'
import {
  checkReportCommand,
  createReportCommand,
  deleteReportCommand,
  editReportCommand,
  listReportsCommand,
  runReportCommand,
  showReportCommand,
} from './commands/report-commands.ts'
import {
  approveRequestCommand,
  denyRequestCommand,
  listRequestsCommand,
  raiseExemptionCommand,
  raiseRegistrationCommand,
  reopenRequestCommand,
  withdrawExemptionCommand,
} from './commands/request-commands.ts'
import { createScimTokenCommand, listScimTokensCommand, revokeScimTokenCommand } from './commands/scim-commands.ts'
import { simulateRequestsCommand } from './commands/simulate-requests-command.ts'
import {
  deleteStreamCommand,
  listStreamsCommand,
  moveStreamsCommand,
  setStreamStatusCommand,
} from './commands/stream-commands.ts'
import { tailStreamsCommand } from './commands/tail-streams-command.ts'
import { testConnectionCommand } from './commands/test-connection-command.ts'
import {
  createUpstreamCommand,
  deleteUpstreamCommand,
  listUpstreamsCommand,
  replaceUpstreamSecretCommand,
} from './commands/upstream-commands.ts'
import {
  addEndpointCommand,
  changeEndpointCommand,
  deleteEndpointCommand,
  listEndpointsCommand,
  revealSecretCommand,
  rollSecretCommand,
} from './commands/webhook-commands.ts'
import { listDeliveriesCommand, resendCommand, testEndpointCommand } from './commands/webhook-log-commands.ts'
import type { DataCommand } from './data-command.ts'
import { dataGroups } from './data-groups.ts'

const others: readonly DataCommand[] = [
  databaseFactsCommand,
  exportCommand,
  importCommand,
  listOrganizationsCommand,
  createOrganizationCommand,
  endOldAddressesCommand,
  renameOrganizationCommand,
  setBaseUrlCommand,
  setFeatureCommand,
  listSettingsCommand,
  setSettingCommand,
  addPersonCommand,
  listAdminsCommand,
  addAdminCommand,
  firstLinkCommand,
  updateAdminCommand,
  removeAdminCommand,
  inviteAdminCommand,
  resetAdminCommand,
  assignOwnersCommand,
  registerDeviceCommand,
  confirmRegistrationCommand,
  mergeDevicesCommand,
  restoreDeviceCommand,
  exemptCheckCommand,
  endExemptionCommand,
  snoozeCheckCommand,
  listRequestsCommand,
  raiseExemptionCommand,
  withdrawExemptionCommand,
  raiseRegistrationCommand,
  approveRequestCommand,
  denyRequestCommand,
  reopenRequestCommand,
  simulateRequestsCommand,
  createDeviceGroupCommand,
  changeDeviceGroupCommand,
  deleteDeviceGroupCommand,
  createPersonGroupCommand,
  listEnrollmentSecretsCommand,
  createEnrollmentSecretCommand,
  revokeEnrollmentSecretCommand,
  listPackagesCommand,
  buildPackagesCommand,
  rebuildPackagesCommand,
  downloadPackageCommand,
  listScimTokensCommand,
  createScimTokenCommand,
  addConnectionCommand,
  addEntraConnectionCommand,
  listConnectionsCommand,
  showConnectionCommand,
  testConnectionCommand,
  setConnectionModeCommand,
  disableConnectionCommand,
  pauseConnectionCommand,
  resumeConnectionCommand,
  rollConnectionSecretCommand,
  deleteConnectionCommand,
  createUpstreamCommand,
  listUpstreamsCommand,
  replaceUpstreamSecretCommand,
  deleteUpstreamCommand,
  revokeScimTokenCommand,
  listCatalogueCommand,
  enableCheckCommand,
  addExternalCheckCommand,
  auditHeadCommand,
  verifyAuditCommand,
  prepareSignInsCommand,
  deleteCheckCommand,
  createDraftCommand,
  editDraftCommand,
  listDraftsCommand,
  showDraftCommand,
  runDraftCommand,
  publishDraftCommand,
  deleteDraftCommand,
  listLiveQueriesCommand,
  createLiveQueryCommand,
  liveQueryResultsCommand,
  deleteLiveQueryCommand,
  createReportCommand,
  listReportsCommand,
  showReportCommand,
  runReportCommand,
  editReportCommand,
  deleteReportCommand,
  checkReportCommand,
  setBeginsBlockingOnCommand,
  listStreamsCommand,
  createStreamCommand,
  moveStreamsCommand,
  setStreamStatusCommand,
  deleteStreamCommand,
  tailStreamsCommand,
  listEndpointsCommand,
  addEndpointCommand,
  changeEndpointCommand,
  deleteEndpointCommand,
  revealSecretCommand,
  rollSecretCommand,
  listDeliveriesCommand,
  testEndpointCommand,
  resendCommand,
]

/** What a running server offers through its socket. */
export async function loadDataCommands(): Promise<DataCommand[]> {
  const groups = await Promise.all(dataGroups.map(({ load }) => load()))
  return [...others, ...groups.flatMap((commands) => Object.values(commands))]
}
