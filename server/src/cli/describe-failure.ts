import { ConfigError } from '../base/config/config-error.ts'
import { ServiceError } from '../base/errors.ts'
import { CommandError, exitCodes } from './command-error.ts'

/** The exit code and the text for the terminal of whatever a command has thrown. */
export function describeFailure(error: unknown): { exitCode: number; text: string } {
  if (error instanceof CommandError) return { exitCode: error.exitCode, text: error.message }
  if (error instanceof ConfigError) return { exitCode: exitCodes.configuration, text: error.message }
  if (error instanceof ServiceError && error.code === 'not_found') {
    return { exitCode: exitCodes.notFound, text: error.message }
  }
  if (error instanceof ServiceError && error.errors) {
    const faults = error.errors.map(({ field, message }) => `${field.replaceAll('_', '-')} ${message}`)
    return { exitCode: exitCodes.usage, text: [error.message, ...faults].join('\n  ') }
  }
  return { exitCode: exitCodes.failure, text: error instanceof Error ? messageOf(error) : String(error) }
}

/** An AggregateError, such as a refused connection to each address of a name, has its messages inside. */
function messageOf(error: Error): string {
  if (error.message !== '' || !(error instanceof AggregateError)) return error.message || error.name
  return error.errors.map((inner: unknown) => (inner instanceof Error ? inner.message : String(inner))).join('; ')
}
