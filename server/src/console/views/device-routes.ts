import { deviceViewOperations } from '@muster/contract/operations/console-devices.ts'
import type { FastifyInstance } from 'fastify'
import { resolveIdentityConflict } from '../../administration/registrations/end-identity-conflicts.ts'
import { restoreDevice } from '../../administration/registrations/restore-device.ts'
import { confirmRegistration } from '../../administration/registrations/suspend-registration.ts'
import { findCompanionOfDevice } from '../../agents/companion-keys/companion-of-device.ts'
import { countCompanions } from '../../agents/companion-keys/survey-companions.ts'
import { listCompanionPlatforms } from '../../agents/packages/companion-platforms.ts'
import type { Reader } from '../../base/db/transact.ts'
import { transact } from '../../base/db/transact.ts'
import { fail, orNotFound } from '../../base/errors.ts'
import { refreshFailing } from '../../compliance/results/refresh-failing.ts'
import { endpoint } from '../../http/endpoint.ts'
import { listEndpoint } from '../../http/list-endpoint.ts'
import { identifierOf } from '../../http/record-id.ts'
import { describeDevice } from '../../inventory/devices/describe-device.ts'
import { presentDevice } from '../../inventory/devices/present.ts'
import { findDevice } from '../../inventory/devices/queries.ts'
import { countInventory } from './count-inventory.ts'
import {
  findDeletedDevice,
  listHistoryEntries,
  listLiveQueriesOfDevice,
  presentHistoryEntry,
} from './device-history.ts'

const exists = async (reader: Reader, organizationId: string, { deviceId }: { readonly deviceId: string }) =>
  (await findDevice(reader, organizationId, deviceId)) !== undefined

/** What the page of a device shows and does beyond the API. */
export function deviceViewRoutes(scope: FastifyInstance): void {
  endpoint(scope, {
    ...deviceViewOperations.refreshFailingChecks,
    run: ({ db, organizationId, body, now }) => {
      const deviceIds = body.device_ids.map(identifierOf)
      return transact(db, (tx) => refreshFailing(tx, { organizationId, deviceIds, now }))
    },
  })

  listEndpoint(scope, {
    ...deviceViewOperations.listHistoryOfDevice,
    order: 'descending',
    list: listHistoryEntries,
    present: presentHistoryEntry,
    exists,
  })

  listEndpoint(scope, {
    ...deviceViewOperations.listLiveQueriesOfDevice,
    order: 'descending',
    list: listLiveQueriesOfDevice,
    present: (row) => row,
    exists,
  })

  endpoint(scope, {
    ...deviceViewOperations.getInventoryOfDevice,
    run: async ({ db, organizationId, params }) => {
      if (!(await exists(db, organizationId, params))) fail('not_found')
      return { tables: await countInventory(db, organizationId, params.deviceId) }
    },
  })

  endpoint(scope, {
    ...deviceViewOperations.describeDevice,
    run: ({ db, organizationId, params: { id: deviceId }, body, context, links }) =>
      transact(db, async (tx) => {
        const note = typeof body.note === 'string' ? body.note.trim() || null : body.note
        await describeDevice(tx, { deviceId, name: body.name?.trim(), note }, context)
        return presentDevice(orNotFound(await findDevice(tx, organizationId, deviceId)), links)
      }),
  })

  companionRoutes(scope)
  identityRoutes(scope)
  deletedDeviceRoutes(scope)
}

function companionRoutes(scope: FastifyInstance): void {
  endpoint(scope, {
    ...deviceViewOperations.getCompanionOfDevice,
    run: async ({ db, organizationId, params }) => {
      if (!(await exists(db, organizationId, params))) fail('not_found')
      return { companion: (await findCompanionOfDevice(db, organizationId, params.deviceId)) ?? null }
    },
  })

  endpoint(scope, {
    ...deviceViewOperations.getCompanionPlatforms,
    run: ({ db }) => listCompanionPlatforms(db),
  })

  endpoint(scope, {
    ...deviceViewOperations.getCompanionSummary,
    run: ({ db, organizationId }) => countCompanions(db, organizationId),
  })
}

function identityRoutes(scope: FastifyInstance): void {
  endpoint(scope, {
    ...deviceViewOperations.confirmRegistration,
    run: ({ db, organizationId, params: { deviceId }, links, context }) =>
      transact(db, async (tx) => {
        await confirmRegistration(tx, { deviceId }, context)
        return presentDevice(orNotFound(await findDevice(tx, organizationId, deviceId)), links)
      }),
  })

  endpoint(scope, {
    ...deviceViewOperations.resolveIdentityConflict,
    run: ({ db, organizationId, params: { deviceId }, links, context }) =>
      transact(db, async (tx) => {
        await resolveIdentityConflict(tx, { deviceId }, context)
        return presentDevice(orNotFound(await findDevice(tx, organizationId, deviceId)), links)
      }),
  })
}

function deletedDeviceRoutes(scope: FastifyInstance): void {
  const { deviceDeletionDelaySeconds: delay } = scope.kit.config

  endpoint(scope, {
    ...deviceViewOperations.getDeletedDevice,
    run: async ({ db, organizationId, params: { id } }) =>
      orNotFound(await findDeletedDevice(db, organizationId, id, delay)),
  })

  endpoint(scope, {
    ...deviceViewOperations.restoreDevice,
    run: ({ db, organizationId, params: { deviceId }, links, context }) =>
      transact(db, async (tx) => {
        await restoreDevice(tx, { deviceId }, context)
        return presentDevice(orNotFound(await findDevice(tx, organizationId, deviceId)), links)
      }),
  })
}
