import Type from 'typebox'
import { flag } from '../describe-commands.ts'

const organizationFlag = ['-o, --organization <id or name>', 'which one, where there are several'] as const

/** For every command that concerns one organization. */
export const organization = flag(...organizationFlag, Type.Optional(Type.String()))
export const mandatoryOrganization = flag(...organizationFlag, Type.String())

export const identifierForm = 'an identifier, which is digits'
export const recordId = Type.String({ pattern: '^[0-9]{1,18}$', form: identifierForm })

/** Names and the like. */
export const shortText = Type.String({ minLength: 1, maxLength: 200 })

export const moment = Type.String({ format: 'date-time' })

export const toggle = Type.Optional(Type.Boolean())
