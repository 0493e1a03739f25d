import {
  DeletedDevice,
  DeviceDescription,
  DeviceHistoryEntry,
  DeviceLiveQuery,
  FailingChecksRefresh,
  FailingChecksRefreshRequest,
} from '@muster/contract/console-devices.ts'
import { Device } from '@muster/contract/devices.ts'
import type { FastifyInstance } from 'fastify'
import { ulid } from 'ulid'
import { resolveIdentityConflict } from '../../administration/registrations/end-identity-conflicts.ts'
import { restoreDevice } from '../../administration/registrations/restore-device.ts'
import { confirmRegistration } from '../../administration/registrations/suspend-registration.ts'
import type { Reader } from '../../base/db/transact.ts'
import { transact } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { refreshFailing } from '../../compliance/results/refresh-failing.ts'
import { endpoint } from '../../http/endpoint.ts'
import { listEndpoint } from '../../http/list-endpoint.ts'
import { identifierOf } from '../../http/record-id.ts'
import { describeDevice } from '../../inventory/devices/describe-device.ts'
import { presentDevice } from '../../inventory/devices/present.ts'
import { findDevice } from '../../inventory/devices/queries.ts'
import {
  findDeletedDevice,
  listHistoryEntries,
  listLiveQueriesOfDevice,
  presentHistoryEntry,
} from './device-history.ts'

const tag = 'Console'

const exists = async (reader: Reader, organizationId: string, { deviceId }: { readonly deviceId: string }) =>
  (await findDevice(reader, organizationId, deviceId)) !== undefined

/** What the page of a device shows and does beyond the API. */
export function deviceViewRoutes(scope: FastifyInstance): void {
  endpoint(scope, {
    method: 'POST',
    path: '/views/check_refreshes',
    operationId: 'refreshFailingChecks',
    summary: 'Have the failing checks of several devices run again',
    tag,
    permission: 'refresh_check',
    body: FailingChecksRefreshRequest,
    answer: FailingChecksRefresh,
    run: ({ db, organizationId, body, now }) => {
      const deviceIds = body.device_ids.map(identifierOf)
      return transact(db, (tx) => refreshFailing(tx, { organizationId, deviceIds, now }))
    },
  })

  listEndpoint(scope, {
    path: '/views/devices/:deviceId/history',
    operationId: 'listHistoryOfDevice',
    summary: 'List what happened to a device, newest first',
    tag,
    record: DeviceHistoryEntry,
    order: 'descending',
    list: listHistoryEntries,
    present: presentHistoryEntry,
    exists,
  })

  listEndpoint(scope, {
    path: '/views/devices/:deviceId/live_queries',
    operationId: 'listLiveQueriesOfDevice',
    summary: 'List the live queries that a device is asked, newest first',
    tag,
    feature: 'live_query',
    record: DeviceLiveQuery,
    order: 'descending',
    list: listLiveQueriesOfDevice,
    present: (row) => row,
    exists,
  })

  endpoint(scope, {
    method: 'PATCH',
    path: '/views/devices/:id',
    operationId: 'describeDevice',
    summary: 'Give a device another name or note',
    tag,
    permission: 'update_devices',
    body: DeviceDescription,
    answer: Device,
    run: ({ db, organizationId, params: { id: deviceId }, body, actor, now, links }) =>
      transact(db, async (tx) => {
        const note = typeof body.note === 'string' ? body.note.trim() || null : body.note
        const change = { name: body.name?.trim(), note, actor, now }
        await describeDevice(tx, { organizationId, deviceId, ...change })
        return presentDevice(orNotFound(await findDevice(tx, organizationId, deviceId)), links)
      }),
  })

  identityRoutes(scope)
  deletedDeviceRoutes(scope)
}

function identityRoutes(scope: FastifyInstance): void {
  endpoint(scope, {
    method: 'POST',
    path: '/views/devices/:deviceId/confirm_registration',
    operationId: 'confirmRegistration',
    summary: 'Confirm the suspended registration of a device',
    tag,
    permission: 'manage_user_requests',
    answer: Device,
    run: ({ db, organizationId, params: { deviceId }, actor, now, links }) =>
      transact(db, async (tx) => {
        await confirmRegistration(tx, { organizationId, deviceId, actor }, { cause: ulid(), initiator: 'admin', now })
        return presentDevice(orNotFound(await findDevice(tx, organizationId, deviceId)), links)
      }),
  })

  endpoint(scope, {
    method: 'POST',
    path: '/views/devices/:deviceId/resolve_identity_conflict',
    operationId: 'resolveIdentityConflict',
    summary: 'End the identity conflict of a device, so that its agent may enroll at once',
    tag,
    permission: 'update_devices',
    answer: Device,
    run: ({ db, organizationId, params: { deviceId }, actor, now, links }) =>
      transact(db, async (tx) => {
        await resolveIdentityConflict(tx, { organizationId, deviceId, actor, now })
        return presentDevice(orNotFound(await findDevice(tx, organizationId, deviceId)), links)
      }),
  })
}

function deletedDeviceRoutes(scope: FastifyInstance): void {
  const { deviceDeletionDelaySeconds: delay } = scope.kit.config

  endpoint(scope, {
    method: 'GET',
    path: '/views/deleted_devices/:id',
    operationId: 'getDeletedDevice',
    summary: 'Read a device that was deleted and can be restored',
    tag,
    permission: 'read',
    answer: DeletedDevice,
    run: async ({ db, organizationId, params: { id } }) =>
      orNotFound(await findDeletedDevice(db, organizationId, id, delay)),
  })

  endpoint(scope, {
    method: 'POST',
    path: '/views/deleted_devices/:deviceId/restore',
    operationId: 'restoreDevice',
    summary: 'Bring a deleted device back',
    tag,
    permission: 'remove_devices',
    answer: Device,
    run: ({ db, organizationId, params: { deviceId }, actor, now, links }) =>
      transact(db, async (tx) => {
        await restoreDevice(tx, { organizationId, deviceId, actor }, { cause: ulid(), initiator: 'admin', now })
        return presentDevice(orNotFound(await findDevice(tx, organizationId, deviceId)), links)
      }),
  })
}
