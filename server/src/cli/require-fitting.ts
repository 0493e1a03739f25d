import type { TSchema } from 'typebox'
import { Check, Errors } from 'typebox/value'
import { CommandError, exitCodes } from './command-error.ts'

/** Throws a CommandError that says what in the arguments of a command does not fit. */
export function requireFitting(schema: TSchema, args: unknown): void {
  if (!Check(schema, args)) throw new CommandError(exitCodes.usage, faultsOf(schema, args))
}

function faultsOf(schema: TSchema, args: unknown): string {
  const faults = Errors(schema, args).map(({ instancePath, message, params }) => {
    const choices = 'allowedValues' in params && Array.isArray(params.allowedValues) ? params.allowedValues : []
    const allowed = choices.length > 0 ? `: ${choices.join(', ')}` : ''
    return `error: ${instancePath.slice(1).replaceAll('/', ' ')} ${message}${allowed}`
  })
  return [...new Set(faults)].join('\n')
}
