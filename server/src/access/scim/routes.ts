import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../../base/errors.ts'
import { refuseUndecodable } from '../../http/letters.ts'
import { wholeBody } from '../../http/whole-body.ts'
import { addDiscovery } from './discovery-routes.ts'
import { scimMediaType } from './endpoint-routes.ts'
import { answerErrorsOfScim } from './error-routes.ts'
import { addGroups } from './group-routes.ts'
import { ScimError } from './scim-error.ts'
import { addUsers } from './user-routes.ts'

/** SCIM 2.0 (RFC 7643, RFC 7644), for identity providers. No part of the API: it has neither versions nor keys. */
export function scimRoutes(app: FastifyInstance): void {
  app.decorateRequest('scimToken', undefined)
  app.register(
    (scope, _options, done) => {
      readBodies(scope)
      scope.addHook('preValidation', async (request) => refuseUndecodable(request))
      answerErrorsOfScim(scope)
      addDiscovery(scope)
      addUsers(scope)
      addGroups(scope)
      done()
    },
    { prefix: '/scim/v2' },
  )
}

const tooMuch = () =>
  new ScimError(400, 'invalidSyntax', 'The body has too many values, or they are nested too deeply.')

/** RFC 7644 §3.8 wants its own media type; many clients send that of JSON. */
function readBodies(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser(
    [scimMediaType, 'application/json'],
    wholeBody(async (request, bytes) => {
      // Clients put a content type on a DELETE, too.
      if (request.method === 'DELETE') return undefined
      const body = await scope.parseJson(request, bytes)
      // What no database can hold is refused by the attribute that it is of.
      if ('ok' in body) return body.ok
      throw body.fault === 'not_json' ? new ServiceError('malformed_json') : tooMuch()
    }),
  )
  scope.addContentTypeParser(
    '*',
    wholeBody(({ method }) => {
      if (method === 'DELETE') return
      throw new ScimError(415, undefined, `The body must be JSON: send Content-Type: ${scimMediaType}.`)
    }),
  )
}
