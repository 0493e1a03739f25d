import type { FieldError } from '@muster/contract/errors.ts'
import { identifierPattern } from '@muster/contract/schema-kit.ts'
import type { FastifySchemaValidationError } from 'fastify/types/schema.js'
import { describeFault, identifierForms, typesOf } from '../base/describe-fault.ts'
import { ServiceError } from '../base/errors.ts'

const maxErrors = 50

/** The validator's findings as the caller reads them: one for each field, in plain sentences. */
export function explainValidation(findings: readonly FastifySchemaValidationError[]): ServiceError {
  const errors = new Map<string, FieldError>()
  const alternatives = new Map<string, FastifySchemaValidationError[]>()
  for (const finding of findings) {
    const field = fieldOf(finding)
    const isUnion = finding.keyword === 'anyOf' || finding.keyword === 'oneOf'
    // Each failed alternative of a union is reported before the union itself.
    if (errors.has(field) && !isUnion) {
      alternatives.get(field)?.push(finding)
      continue
    }
    if (errors.size >= maxErrors && !errors.has(field)) continue
    const message = isUnion ? messageOfUnion(alternatives.get(field) ?? []) : describeFault(finding)
    errors.set(field, { field, message })
    if (!isUnion) alternatives.set(field, [finding])
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
  return new ServiceError('malformed_request', { message: `The request is malformed: ${text.join('; ')}.` })
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

function messageOfUnion(alternatives: readonly FastifySchemaValidationError[]): string {
  if (alternatives.some(({ params }) => params['pattern'] === identifierPattern)) return `must be ${identifierForms}`
  if (alternatives.every(({ keyword }) => keyword === 'type')) {
    const types = new Set(alternatives.flatMap(({ params }) => typesOf(params['type'])))
    if (types.size > 0) return `must be ${[...types].join(' or ')}`
  }
  const reasons = new Set(alternatives.map((finding) => describeFault(finding)))
  return reasons.size > 0 ? [...reasons].join(' or ') : 'has none of the accepted forms'
}
