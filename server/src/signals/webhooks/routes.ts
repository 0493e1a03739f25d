import { webhookOperations } from '@muster/contract/operations/webhooks.ts'
import type { FastifyInstance } from 'fastify'
import { type Reader, transact } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { endpoint } from '../../http/endpoint.ts'
import { listEndpoint } from '../../http/list-endpoint.ts'
import { changeEndpoint } from './change-endpoint.ts'
import { createEndpoint } from './create-endpoint.ts'
import { deleteEndpoint } from './delete-endpoint.ts'
import { webhookLogRoutes } from './log/routes.ts'
import { presentEndpoint } from './present.ts'
import { findEndpoint, listEndpoints } from './queries.ts'
import { revealSecret } from './reveal-secret.ts'
import { rollSecret } from './roll-secret.ts'
import { headersReader } from './write-endpoint.ts'

/** Endpoints for webhooks, and their delivery log. */
export function webhookRoutes(app: FastifyInstance): void {
  addReading(app)
  addWriting(app)
  addSecrets(app)
  webhookLogRoutes(app)
}

function presenter(app: FastifyInstance) {
  const { secrets, clock } = app.kit
  const headersOf = headersReader(secrets)
  const present = (row: Parameters<typeof presentEndpoint>[0], secret?: string) =>
    presentEndpoint(row, { headersOf, now: clock() }, secret)
  const read = async (reader: Reader, organizationId: string, id: string, secret?: string) =>
    present(orNotFound(await findEndpoint(reader, organizationId, id)), secret)
  return { present, read }
}

function addReading(app: FastifyInstance): void {
  const { present, read } = presenter(app)
  listEndpoint(app, {
    ...webhookOperations.listWebhookEndpoints,
    list: listEndpoints,
    present: (row) => present(row),
  })
  endpoint(app, {
    ...webhookOperations.getWebhookEndpoint,
    run: ({ db, organizationId, params }) => read(db, organizationId, params.endpointId),
  })
}

function addWriting(app: FastifyInstance): void {
  const { secrets, config } = app.kit
  const { read } = presenter(app)
  const rules = { allowPrivate: config.allowPrivateReceivers }
  endpoint(app, {
    ...webhookOperations.createWebhookEndpoint,
    run: ({ db, organizationId, body: asked, context }) =>
      transact(db, async (tx) => {
        const { id, secret } = await createEndpoint(tx, secrets, { asked, rules }, context)
        return read(tx, organizationId, id, secret)
      }),
  })
  endpoint(app, {
    ...webhookOperations.updateWebhookEndpoint,
    run: ({ db, organizationId, params: { endpointId }, body: asked, context }) =>
      transact(db, async (tx) => {
        await changeEndpoint(tx, secrets, { endpointId, asked, rules }, context)
        return read(tx, organizationId, endpointId)
      }),
  })
  endpoint(app, {
    ...webhookOperations.deleteWebhookEndpoint,
    run: ({ db, params, context }) => transact(db, (tx) => deleteEndpoint(tx, params, context)),
  })
}

function addSecrets(app: FastifyInstance): void {
  const { secrets } = app.kit
  const { read } = presenter(app)
  endpoint(app, {
    ...webhookOperations.revealWebhookSecret,
    run: ({ db, organizationId, params: { endpointId }, context }) =>
      transact(db, async (tx) => {
        const secret = await revealSecret(tx, secrets, { endpointId }, context)
        return read(tx, organizationId, endpointId, secret)
      }),
  })
  endpoint(app, {
    ...webhookOperations.rollWebhookSecret,
    run: ({ db, organizationId, params: { endpointId }, body, context }) =>
      transact(db, async (tx) => {
        const roll = { organizationId, endpointId, overlapSeconds: body.overlap_seconds }
        const secret = await rollSecret(tx, secrets, roll, context)
        return read(tx, organizationId, endpointId, secret)
      }),
  })
}
