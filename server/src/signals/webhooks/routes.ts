import {
  WebhookEndpoint,
  WebhookEndpointChange,
  WebhookEndpointCreation,
  WebhookSecretRoll,
  webhookEndpointSearch,
} from '@muster/contract/webhook-endpoints.ts'
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

const common = { tag: 'Webhooks', permission: 'manage_webhooks' } as const

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
    ...common,
    path: '/webhook_endpoints',
    operationId: 'listWebhookEndpoints',
    summary: 'List webhook endpoints',
    description: 'An extension. The addresses that are told of events, and how their receivers stand.',
    record: WebhookEndpoint,
    search: webhookEndpointSearch,
    list: listEndpoints,
    present: (row) => present(row),
  })
  endpoint(app, {
    ...common,
    method: 'GET',
    path: '/webhook_endpoints/:endpointId',
    operationId: 'getWebhookEndpoint',
    summary: 'Read a webhook endpoint',
    description: 'An extension.',
    answer: WebhookEndpoint,
    run: ({ db, organizationId, params }) => read(db, organizationId, params.endpointId),
  })
}

function addWriting(app: FastifyInstance): void {
  const { secrets, config } = app.kit
  const { read } = presenter(app)
  const rules = { allowPrivate: config.allowPrivateReceivers }
  endpoint(app, {
    ...common,
    method: 'POST',
    path: '/webhook_endpoints',
    operationId: 'createWebhookEndpoint',
    summary: 'Make a webhook endpoint',
    description:
      'An extension. The answer has the secret that requests to the endpoint are signed with; later it is only to be had by revealing it, which the audit log tells. An organization has at most 50 endpoints.',
    body: WebhookEndpointCreation,
    answer: WebhookEndpoint,
    run: ({ db, organizationId, body: asked, actor, now }) =>
      transact(db, async (tx) => {
        const { id, secret } = await createEndpoint(tx, secrets, {
          organizationId,
          asked,
          rules,
          actor,
          now,
        })
        return read(tx, organizationId, id, secret)
      }),
  })
  endpoint(app, {
    ...common,
    method: 'PATCH',
    path: '/webhook_endpoints/:endpointId',
    operationId: 'updateWebhookEndpoint',
    inConsole: { needsFreshProof: { toChange: 'url' } },
    summary: 'Change a webhook endpoint',
    description:
      'An extension. What is left out stays, also with PUT. With a `url` of another origin (scheme, host or port) the custom headers whose values are not sent again are dropped: the answer shows those that are left. What happens while an endpoint is disabled is not queued for it; what was queued before waits, and is sent when it is enabled again.',
    body: WebhookEndpointChange,
    answer: WebhookEndpoint,
    run: ({ db, organizationId, params: { endpointId }, body: asked, actor, now }) =>
      transact(db, async (tx) => {
        await changeEndpoint(tx, secrets, { organizationId, endpointId, asked, rules, actor, now })
        return read(tx, organizationId, endpointId)
      }),
  })
  endpoint(app, {
    ...common,
    method: 'DELETE',
    path: '/webhook_endpoints/:endpointId',
    operationId: 'deleteWebhookEndpoint',
    summary: 'Delete a webhook endpoint',
    description: 'An extension. What waits for it is not sent anymore, and its delivery log goes with it.',
    run: ({ db, organizationId, params, actor, now }) =>
      transact(db, (tx) => deleteEndpoint(tx, { organizationId, ...params, actor, now })),
  })
}

function addSecrets(app: FastifyInstance): void {
  const { secrets } = app.kit
  const { read } = presenter(app)
  endpoint(app, {
    ...common,
    method: 'POST',
    path: '/webhook_endpoints/:endpointId/reveal_secret',
    operationId: 'revealWebhookSecret',
    inConsole: { needsFreshProof: true },
    summary: 'Reveal the secret of a webhook endpoint',
    description:
      'An extension. The endpoint with the secret that its requests are signed with; the audit log tells it.',
    answer: WebhookEndpoint,
    run: ({ db, organizationId, params: { endpointId }, actor, now }) =>
      transact(db, async (tx) => {
        const secret = await revealSecret(tx, secrets, { organizationId, endpointId, actor, now })
        return read(tx, organizationId, endpointId, secret)
      }),
  })
  endpoint(app, {
    ...common,
    method: 'POST',
    path: '/webhook_endpoints/:endpointId/roll_secret',
    operationId: 'rollWebhookSecret',
    inConsole: { needsFreshProof: true },
    summary: 'Replace the secret of a webhook endpoint',
    description:
      'An extension. Answers the endpoint with its new secret. Until the overlap ends both secrets sign in `webhook-signature`, and `Authorization` is of the previous one. While an overlap lasts only a roll with an overlap of 0 is taken: it ends both secrets before at once.',
    body: WebhookSecretRoll,
    answer: WebhookEndpoint,
    run: ({ db, organizationId, params: { endpointId }, body, actor, now }) =>
      transact(db, async (tx) => {
        const roll = { organizationId, endpointId, overlapSeconds: body.overlap_seconds }
        const secret = await rollSecret(tx, secrets, { ...roll, actor, now })
        return read(tx, organizationId, endpointId, secret)
      }),
  })
}
