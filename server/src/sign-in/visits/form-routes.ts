import { IdentifierInput, Text } from '@muster/contract/schema-kit.ts'
import type { FastifyRequest, RouteShorthandOptions } from 'fastify'
import Type, { type Static } from 'typebox'
import { maxMessageLength } from '../../administration/requests/decision-rules.ts'
import { fail, ServiceError } from '../../base/errors.ts'
import { bodyCoercion } from '../../http/coerce-body.ts'
import { detectionReasonNames } from '../reasons/detection-reasons.ts'
import { signIns } from './sign-in-scheme.ts'

const none = Type.Object({})
const issueId = IdentifierInput('Issue of the device.')
const message = Text('What IT reads.', { maxLength: maxMessageLength })

/** What the page sends, by the last part of the address that it sends it to. */
const pageForms = {
  challenge: none,
  // What answers at the ports of agents may be another program: it is judged as a proof, and spoils no other one.
  proof: Type.Object({
    proof: Type.Optional(Type.Unknown()),
    proofs: Type.Optional(Type.Unknown()),
    tab: Type.Optional(Type.Unknown()),
  }),
  undetected: Type.Object({ reason: Type.Enum(detectionReasonNames) }),
  'once-more': none,
  identify: none,
  cancel: none,
  code: Type.Object({ code: Text('As it was typed.', { maxLength: 100 }) }),
  recheck: none,
  register: Type.Object({ message: Type.Optional(message) }),
  snooze: Type.Object({ issue_id: issueId }),
  exemption: Type.Object({ issue_id: issueId, message }),
  'withdraw-registration': none,
  withdraw: Type.Object({ request_id: IdentifierInput('Request of the person.') }),
  seen: Type.Object({ issue_ids: Type.Array(issueId, { maxItems: 100 }) }),
}

export type PageForm = keyof typeof pageForms
export type FormOf<Name extends PageForm> = Static<(typeof pageForms)[Name]>

const config = { scheme: signIns, kind: 'form', origin: 'own_pages', isChatty: true } as const

/** Whether the body is that of a form of HTML. */
export const isForm = ({ headers }: Pick<FastifyRequest, 'headers'>): boolean =>
  /^application\/x-www-form-urlencoded\b/i.test(headers['content-type'] ?? '')

/** Of the route that takes a form. What is wrong with one is said to the browser of the sign-in alone, by `readForm`. */
export function formOptions(name: PageForm): RouteShorthandOptions {
  const body = pageForms[name]
  const prepare = bodyCoercion(body)
  return {
    ...{ config, bodyLimit: 16 * 1024, schema: { body }, attachValidation: true },
    preValidation: (request, _reply, done) => {
      prepare(request)
      done()
    },
  }
}

/** A form as its schema has it. Fails with not_found where an identifier could be none, and with invalid otherwise. */
export function readForm<Name extends PageForm>({ body, validationError: fault }: FastifyRequest): FormOf<Name> {
  if (fault instanceof ServiceError && fault.errors?.some(({ field }) => isOfIdentifier(field)))
    return fail('not_found')
  if (fault) throw fault
  // Validated against the schema that the type comes from.
  return body as FormOf<Name>
}

const isOfIdentifier = (field: string): boolean => /_ids?(?:\/|$)/.test(field)
