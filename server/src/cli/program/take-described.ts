import { type Command, InvalidArgumentError, Option } from 'commander'
import Type, { type TSchema } from 'typebox'
import { type DescribedCommand, type Flag, isFlag, objectOf, schemaOf } from '../describe-commands.ts'
import type { Into } from './run-into-file.ts'

/** What a command is run with, and the files that its data goes to and comes from, if any. */
export type Ready = { args: Record<string, unknown>; into: Into | undefined; from: string | undefined }

/** Has `command`, which has its words, take the arguments and flags of its description, and run with what is typed. */
export function takeDescribed(
  command: Command,
  described: DescribedCommand,
  run: (ready: Ready) => Promise<void>,
): void {
  command.description(described.summary)
  const members = Object.entries(described.typed)
  const positional = members.filter(([, member]) => !isOption(member))
  for (const [index, [, member]] of positional.entries()) takePositional(command, index, member)
  const options = members.flatMap(([name, member]) =>
    isOption(member) ? [{ name, flag: member, option: optionOf(member) }] : [],
  )
  for (const { option } of options) command.addOption(option)
  command.action(async () => {
    const given: Record<string, unknown> = {}
    for (const [index, [name, member]] of positional.entries()) {
      const { [index]: text } = command.args
      if (text !== undefined) given[name] = isFlag(member) ? await readValue(command, member, text) : text
    }
    for (const { name, flag, option } of options) {
      const value: unknown = command.getOptionValue(option.attributeName())
      if (value !== undefined) given[name] = typeof value === 'string' ? await readValue(command, flag, value) : value
    }
    await run(await readyOf(command, described, given))
  })
}

const isOption = (member: TSchema | Flag): member is Flag => isFlag(member) && member.flags.startsWith('-')

function takePositional(command: Command, index: number, member: TSchema | Flag): void {
  const { [index]: argument } = command.registeredArguments
  if (!argument) throw new Error(`The words of ${command.name()} name too few arguments`)
  if (isFlag(member)) argument.description = member.summary
  const choices = choicesOf(schemaOf(member))
  if (choices) argument.choices(choices)
}

function optionOf({ flags, summary, schema, default: usual, conflicts = [] }: Flag): Option {
  const option = new Option(flags, summary).conflicts(conflicts)
  const choices = choicesOf(schema)
  if (choices) option.choices(choices)
  if (usual !== undefined) option.default(usual)
  else if (!Type.IsOptional(schema)) option.makeOptionMandatory()
  return option
}

function choicesOf(schema: TSchema): string[] | undefined {
  if ('items' in schema && typeof schema.items === 'object' && schema.items !== null) return choicesOf(schema.items)
  return 'enum' in schema && Array.isArray(schema.enum) ? schema.enum.map(String) : undefined
}

async function readValue(command: Command, { flags, schema, read }: Flag, text: string): Promise<unknown> {
  try {
    if (read) return await read(text)
    return Type.IsInteger(schema) ? readInteger(schema, text) : text
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error
    return command.error(`error: option '${flags}' argument '${text}' is invalid. ${error.message}`)
  }
}

type Bounds = { minimum?: number | bigint; maximum?: number | bigint }

/** The whole number that a flag was given, between the bounds of its schema. */
function readInteger(schema: object, text: string): number {
  const { minimum = 0, maximum }: Bounds = schema
  const number = Number(text)
  if (/^\d+$/.test(text) && number >= minimum && number <= (maximum ?? Number.MAX_SAFE_INTEGER)) return number
  throw new InvalidArgumentError(
    maximum === undefined ? 'Give a whole number.' : `Give a whole number from ${minimum} to ${maximum}.`,
  )
}

async function readyOf(command: Command, described: DescribedCommand, given: Record<string, unknown>): Promise<Ready> {
  const { requireFitting } = await import('../require-fitting.ts')
  requireFitting(objectOf(described.typed), given, (name) => typedAs(command, described, name))
  const [into, from] = [described.into?.(given), described.from?.(given)]
  if (!described.prepare) return { args: given, into, from }
  try {
    return { args: { ...(await described.prepare(given)) }, into, from }
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error
    return command.error(`error: ${error.message}`)
  }
}

/** A flag by its long name, an argument as the usage names it. */
function typedAs(command: Command, { typed }: DescribedCommand, name: string): string {
  const { [name]: member } = typed
  if (member !== undefined && isOption(member)) return new Option(member.flags).long ?? name
  const positional = Object.entries(typed).filter(([, one]) => !isOption(one))
  return command.registeredArguments[positional.findIndex(([one]) => one === name)]?.name() ?? name
}
