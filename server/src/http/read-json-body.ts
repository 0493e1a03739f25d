import type { FieldError } from '@muster/contract/errors.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ServiceError } from '../base/errors.ts'
import { exceedsLimits, requestLimits } from '../base/scan-json.ts'
import { unstorableTexts } from '../base/storable.ts'
import { wholeBody } from './whole-body.ts'

/**
 * Bodies are JSON. A route that takes none ignores what is sent, as clients put a content type, and sometimes an empty
 * object, on a DELETE.
 */
export function readBodiesAsJson(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/json',
    wholeBody((request, text, done) => {
      // What an empty body lacks, its schema says better than the parser.
      if (!takesBody(request) || text === '') return done(null)
      if (exceedsLimits(text, requestLimits)) return done(new ServiceError('invalid', { errors: [tooMuch] }))
      // It calls back before it returns.
      void parse(request, text, (error, body) => {
        if (error) return done(error)
        const errors = unstorable.test(text) ? unstorableTexts(body) : []
        if (errors.length > 0) return done(new ServiceError('invalid', { errors }))
        done(null, body)
      })
    }),
  )
  app.addContentTypeParser(
    '*',
    wholeBody((request, _text, done) => {
      done(takesBody(request) ? new ServiceError('unsupported_media_type') : null)
    }),
  )
}

const tooMuch: FieldError = {
  field: '',
  message: 'must not have more than 64 levels, 25,000 objects and arrays, or 100,000 values',
}

const takesBody = (request: FastifyRequest): boolean => request.routeOptions.schema?.body !== undefined

/** Escapes of NUL and of halves of surrogate pairs; paired halves are found as well, and then cleared. */
const unstorable = /\\u(?:0000|[dD][89a-fA-F])/
