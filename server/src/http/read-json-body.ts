import type { FieldError } from '@muster/contract/errors.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ServiceError } from '../base/errors.ts'
import { wholeBody } from './whole-body.ts'

/**
 * Bodies are JSON. A route that takes none ignores what is sent, as clients put a content type, and sometimes an empty
 * object, on a DELETE.
 */
export function readBodiesAsJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/json',
    wholeBody(async (request, bytes) => {
      // What an empty body lacks, its schema says better than the parser.
      if (!takesBody(request) || bytes.length === 0) return undefined
      const body = await app.parseJson(request, bytes)
      if ('fault' in body) {
        if (body.fault === 'not_json') throw new ServiceError('malformed_json')
        throw new ServiceError('invalid', { errors: [tooMuch] })
      }
      if (body.unstorable.length > 0) throw new ServiceError('invalid', { errors: body.unstorable })
      return body.ok
    }),
  )
  app.addContentTypeParser(
    '*',
    wholeBody((request) => {
      if (takesBody(request)) throw new ServiceError('unsupported_media_type')
    }),
  )
}

const tooMuch: FieldError = {
  field: '',
  message:
    'must not have more than 64 levels, 25,000 objects and arrays, 100,000 values, or 5,000 members of an object',
}

const takesBody = (request: FastifyRequest): boolean => request.routeOptions.schema?.body !== undefined
