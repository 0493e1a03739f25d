import type { TSchema } from 'typebox'
import { Check, Errors, Pointer } from 'typebox/value'
import { describeFault } from '../base/describe-fault.ts'
import { CommandError, exitCodes } from './command-error.ts'

/**
 * Throws a CommandError that says what in the arguments of a command does not fit. `nameOf` has the name by which an
 * argument is typed.
 */
export function requireFitting(schema: TSchema, args: unknown, nameOf: (member: string) => string = inWords): void {
  if (!Check(schema, args)) throw new CommandError(exitCodes.usage, faultsOf(schema, args, nameOf))
}

/** Each argument with the first that is wrong of it, which a text that is no number, say, is in several ways. */
function faultsOf(schema: TSchema, args: unknown, nameOf: (member: string) => string): string {
  const faults = new Map<string, string>()
  for (const { keyword, instancePath, schemaPath, params } of Errors(schema, args)) {
    const [member = '', ...within] = instancePath.split('/').slice(1)
    // The place in a list says nothing to who typed it.
    const name = [nameOf(member), ...within.filter((part) => !/^\d+$/.test(part))].join(' ')
    const form = keyword === 'pattern' ? formOf(schema, schemaPath) : undefined
    const message = form ?? describeFault({ keyword, params: { ...params } }, Pointer.Get(args, instancePath))
    if (!faults.has(name)) faults.set(name, `error: ${name} ${message}`)
  }
  return [...faults.values()].join('\n')
}

/** What a text with a pattern has to be, as its schema says in `form`. */
function formOf(schema: TSchema, schemaPath: string): string | undefined {
  const found: unknown = Pointer.Get(schema, schemaPath.replace(/^#/, ''))
  return typeof found === 'object' && found !== null && 'form' in found ? `must be ${found.form}` : undefined
}

const inWords = (member: string): string => member.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
