import { webhookEvents } from '@muster/contract/webhook-event-summaries.ts'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { fail } from '../../../base/errors.ts'
import { openPage } from '../../../http/caller-scheme.ts'
import { asyncApiDocument } from './async-api.ts'
import { allPayloadSchemas, payloadSchemaDocument } from './payload-schemas.ts'

/** What endpoints are sent, for programs: JSON Schemas and an AsyncAPI document, for everyone. */
export function webhookDescriptionRoutes(app: FastifyInstance): void {
  const { baseUrl } = app.kit.config
  const all = JSON.stringify(allPayloadSchemas(baseUrl))
  const one = new Map<string, string>(
    webhookEvents.map((event) => [event, JSON.stringify(payloadSchemaDocument(event, baseUrl))]),
  )
  const asyncApi = JSON.stringify(asyncApiDocument(baseUrl))
  app.get('/webhooks/schemas', { config: openPage }, async (_request, reply) =>
    send(reply, 'application/schema+json', all),
  )
  app.get<{ Params: { event: string } }>('/webhooks/schemas/:event', { config: openPage }, async ({ params }, reply) =>
    send(reply, 'application/schema+json', one.get(params.event) ?? fail('not_found')),
  )
  app.get('/webhooks/asyncapi.json', { config: openPage }, async (_request, reply) =>
    send(reply, 'application/json', asyncApi),
  )
}

function send(reply: FastifyReply, type: string, text: string): string {
  reply.header('content-type', `${type}; charset=utf-8`)
  reply.header('cache-control', 'public, max-age=300')
  return text
}
