import { deviceViewOperations } from '@muster/contract/operations/console-devices.ts'
import type { FastifyInstance } from 'fastify'
import { unregisterDevices } from '../../administration/registrations/unregister-devices.ts'
import { endpoint } from '../../http/endpoint.ts'
import { identifierOf } from '../../http/record-id.ts'
import { previewUnregistration } from './preview-unregistration.ts'

/** Registrations of several devices end: first whom that hits, then what became of each. */
export function unregistrationRoutes(scope: FastifyInstance): void {
  endpoint(scope, {
    ...deviceViewOperations.previewUnregistrations,
    run: ({ db, organizationId, body, now }) => {
      const { device_ids: named, filter = {}, except_ids: excepted = [] } = body
      const meant = { named: named?.map(identifierOf), filter, excepted: excepted.map(identifierOf) }
      return previewUnregistration(db, organizationId, meant, now)
    },
  })

  endpoint(scope, {
    ...deviceViewOperations.unregisterDevices,
    run: ({ db, body, context }) => unregisterDevices(db, { deviceIds: body.device_ids.map(identifierOf) }, context),
  })
}
