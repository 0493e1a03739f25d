import {
  UnregistrationPreview,
  UnregistrationPreviewRequest,
  UnregistrationRequest,
  Unregistrations,
} from '@muster/contract/console-unregistrations.ts'
import type { FastifyInstance } from 'fastify'
import { unregisterDevices } from '../../administration/registrations/unregister-devices.ts'
import { endpoint } from '../../http/endpoint.ts'
import { identifierOf } from '../../http/record-id.ts'
import { previewUnregistration } from './preview-unregistration.ts'

const tag = 'Console'

/** Registrations of several devices end: first whom that hits, then what became of each. */
export function unregistrationRoutes(scope: FastifyInstance): void {
  endpoint(scope, {
    method: 'POST',
    path: '/views/unregistration_previews',
    operationId: 'previewUnregistrations',
    summary: 'Read whom it hits when the registrations of several devices end',
    tag,
    permission: 'remove_devices',
    body: UnregistrationPreviewRequest,
    answer: UnregistrationPreview,
    run: ({ db, organizationId, body, now }) => {
      const { device_ids: named, filter = {}, except_ids: excepted = [] } = body
      const meant = { named: named?.map(identifierOf), filter, excepted: excepted.map(identifierOf) }
      return previewUnregistration(db, organizationId, meant, now)
    },
  })

  endpoint(scope, {
    method: 'POST',
    path: '/views/unregistrations',
    operationId: 'unregisterDevices',
    summary: 'End the registrations of several devices',
    tag,
    permission: 'remove_devices',
    body: UnregistrationRequest,
    answer: Unregistrations,
    run: ({ db, organizationId, body, actor, now }) =>
      unregisterDevices(db, {
        organizationId,
        deviceIds: body.device_ids.map(identifierOf),
        actor,
        now,
      }),
  })
}
