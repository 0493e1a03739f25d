import { type Command, InvalidArgumentError, Option } from 'commander'
import Type, { type TSchema } from 'typebox'
import type { DataCommand } from '../data-command.ts'
import { dataGroups } from '../data-groups.ts'
import {
  type CommandGroup,
  type DescribedCommand,
  type Flag,
  isFlag,
  objectOf,
  schemaOf,
} from '../describe-commands.ts'
import { readInteger } from './read-integer.ts'
import { runIntoFile } from './run-into-file.ts'
import { runOnData, type Shell } from './shell.ts'

/** Adds all groups that run on the data of an installation, and the commands of those that `args` names. */
export async function addDataCommands(program: Command, shell: Shell, args: readonly string[]): Promise<void> {
  for (const { name, alias = name, summary, describe, load } of dataGroups) {
    const own = program.command(name).description(summary)
    if (alias !== name) own.alias(alias)
    if (!args.includes(name) && !args.includes(alias)) continue
    for (const [index, group] of (await describe()).entries()) {
      addGroup(own, shell, group, async () => (await load[index]?.()) ?? {})
    }
  }
}

type Load = () => Promise<Readonly<Record<string, DataCommand>>>

/** Adds the commands of a group as their descriptions say; `load` gives what runs them. */
export function addGroup(own: Command, shell: Shell, group: CommandGroup, load: Load): void {
  for (const [name, described] of Object.entries(group.commands)) {
    if (typeof described === 'function') described(own, shell)
    else {
      const [, first, words = described.words] = /^([a-z-]+) ([a-z].*)$/.exec(described.words) ?? []
      const parent = first === undefined ? own : childOf(own, first, group.within?.[first] ?? '')
      addCommand(parent.command(words), shell, described, async () => {
        const { [name]: loaded } = await load()
        if (!loaded) throw new Error(`Nothing runs ${group.name} ${name}`)
        return loaded
      })
    }
  }
}

const childOf = (parent: Command, name: string, summary: string): Command =>
  parent.commands.find((one) => one.name() === name) ?? parent.command(name).description(summary)

type Entry = { name: string; flag: Flag; option: Option }

function addCommand(
  command: Command,
  shell: Shell,
  described: DescribedCommand,
  load: () => Promise<DataCommand>,
): void {
  command.description(described.summary)
  const members = Object.entries(described.typed)
  const positional = members.filter(([, member]) => !isOption(member))
  for (const [index, [, member]] of positional.entries()) {
    const argument = command.registeredArguments[index]
    if (!argument) throw new Error(`${described.words} names too few arguments`)
    if (isFlag(member)) argument.description = member.summary
    const choices = choicesOf(schemaOf(member))
    if (choices) argument.choices(choices)
  }
  const entries: Entry[] = members.flatMap(([name, member]) =>
    isOption(member) ? [{ name, flag: member, option: optionOf(member) }] : [],
  )
  for (const { option } of entries) command.addOption(option)
  command.action(async () => {
    const given: Record<string, unknown> = {}
    for (const [index, [name, member]] of positional.entries()) {
      const { [index]: text } = command.args
      if (text !== undefined) given[name] = isFlag(member) ? await readValue(command, member, text) : text
    }
    for (const { name, flag, option } of entries) {
      const value: unknown = command.getOptionValue(option.attributeName())
      if (value !== undefined) given[name] = typeof value === 'string' ? await readValue(command, flag, value) : value
    }
    await run(command, shell, { described, load }, given)
  })
}

const isOption = (member: TSchema | Flag): member is Flag => isFlag(member) && member.flags.startsWith('-')

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

type Loadable = { described: DescribedCommand; load: () => Promise<DataCommand> }

async function run(
  command: Command,
  shell: Shell,
  { described, load }: Loadable,
  given: Record<string, unknown>,
): Promise<void> {
  const { args, into } = await preparedOf(described, given).catch((error: unknown) => {
    if (!(error instanceof InvalidArgumentError)) throw error
    return command.error(`error: ${error.message}`)
  })
  if (!into) return runOnData(shell, load, args)
  await runIntoFile(shell, into, load, args)
  if (into.note !== undefined) await shell.io.line(into.note)
}

async function preparedOf(described: DescribedCommand, given: Record<string, unknown>) {
  if (described.prepare) {
    const { requireFitting } = await import('../require-fitting.ts')
    requireFitting(objectOf(described.typed), given)
  }
  const args = described.prepare ? await described.prepare(given) : given
  return { args: { ...args }, into: described.into?.(given) }
}
