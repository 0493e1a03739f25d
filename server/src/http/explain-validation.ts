import type { FieldError } from '@muster/contract/errors.ts'
import type { FastifySchemaValidationError } from 'fastify/types/schema.js'
import { ServiceError } from '../errors.ts'

const mostErrors = 50

/** The validator's findings as the caller reads them: one for each field, in the words of the rule. */
export function explainValidation(findings: readonly FastifySchemaValidationError[]): ServiceError {
  const errors = new Map<string, FieldError>()
  for (const finding of findings) {
    const field = fieldOf(finding)
    const isOwnAlternative = finding.keyword === 'anyOf' || finding.keyword === 'oneOf'
    // Each failed alternative of a union is reported before the union itself, which says it better.
    if (errors.has(field) && !isOwnAlternative) continue
    if (errors.size < mostErrors || errors.has(field)) errors.set(field, { field, message: messageOf(finding) })
  }
  return new ServiceError('invalid', { errors: [...errors.values()] })
}

/** The same for a protocol in which a body of another form is a bad request. */
export function explainMalformed(findings: readonly FastifySchemaValidationError[]): ServiceError {
  return asMalformed(explainValidation(findings))
}

/** A refusal with faults as a bad request that names them. */
export function asMalformed({ errors: faults = [], message }: ServiceError): ServiceError {
  if (faults.length === 0) return new ServiceError('malformed_request', { message })
  const text = faults.slice(0, 5).map(({ field, message }) => `${field || 'the body'} ${message}`)
  return new ServiceError('malformed_request', { message: `The request cannot be understood: ${text.join('; ')}.` })
}

function fieldOf({ instancePath, keyword, params }: FastifySchemaValidationError): string {
  const member =
    keyword === 'required'
      ? params['missingProperty']
      : keyword === 'additionalProperties'
        ? params['additionalProperty']
        : undefined
  const path = typeof member === 'string' ? `${instancePath}/${member}` : instancePath
  return path.slice(1)
}

function messageOf({ keyword, params, message }: FastifySchemaValidationError): string {
  switch (keyword) {
    case 'required':
      return 'is required'
    case 'additionalProperties':
      return 'is not known here'
    case 'enum':
      return Array.isArray(params['allowedValues'])
        ? `must be one of ${params['allowedValues'].join(', ')}`
        : 'is not allowed'
    case 'anyOf':
    case 'oneOf':
      return 'has none of the accepted forms'
    default:
      return message ?? 'is not acceptable'
  }
}
