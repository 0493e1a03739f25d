import { MergePreview, MergeQuery, MergeRequest, Twins } from '@muster/contract/console-merges.ts'
import { Device } from '@muster/contract/devices.ts'
import type { FastifyInstance } from 'fastify'
import { ulid } from 'ulid'
import { transact } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { endpoint } from '../../http/endpoint.ts'
import { identifierOf } from '../../http/record-id.ts'
import { presentDevice } from '../../inventory/devices/present.ts'
import { findDevice } from '../../inventory/devices/queries.ts'
import { mergeDevices } from './merge-devices.ts'
import { previewMerge } from './preview-merge.ts'
import { listTwins } from './queries.ts'

const tag = 'Console'

/** Two records of one machine become one. For the console only, so no part of the API. */
export function mergeRoutes(scope: FastifyInstance): void {
  endpoint(scope, {
    method: 'GET',
    path: '/views/devices/:deviceId/twins',
    operationId: 'listTwinsOfDevice',
    summary: 'List devices that may be the same machine as a device',
    tag,
    permission: 'read',
    answer: Twins,
    run: async ({ db, organizationId, params: { deviceId } }) => {
      orNotFound(await findDevice(db, organizationId, deviceId))
      const twins = await listTwins(db, organizationId, deviceId)
      return {
        data: twins.map(({ serial, uuid, ...twin }) => ({ ...twin, same: { serial, hardware_uuid: uuid } })),
      }
    },
  })

  endpoint(scope, {
    method: 'GET',
    path: '/views/devices/:deviceId/merge_preview',
    operationId: 'previewDeviceMerge',
    summary: 'Read what a merge of another device into a device would do',
    tag,
    permission: 'remove_devices',
    query: MergeQuery,
    answer: MergePreview,
    run: ({ db, organizationId, params: { deviceId: keptId }, query, now }) =>
      previewMerge(db, { organizationId, keptId, otherId: identifierOf(query.other_id) }, now),
  })

  endpoint(scope, {
    method: 'POST',
    path: '/views/devices/:deviceId/merge',
    operationId: 'mergeDevices',
    summary: 'Merge another device into a device, and remove the other one',
    tag,
    permission: 'remove_devices',
    body: MergeRequest,
    answer: Device,
    run: ({ db, organizationId, params: { deviceId: keptId }, body, actor, now, links }) =>
      transact(db, async (tx) => {
        const isOneMachine = body.is_one_machine === true
        const merge = { organizationId, keptId, otherId: identifierOf(body.other_id), isOneMachine, actor }
        await mergeDevices(tx, merge, { cause: ulid(), initiator: 'admin', now })
        return presentDevice(orNotFound(await findDevice(tx, organizationId, keptId)), links)
      }),
  })
}
