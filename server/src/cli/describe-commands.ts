import type { Command } from 'commander'
import Type, { type Static, type TObject, type TSchema } from 'typebox'
import type { CommandContext, CommandIo, DataCommand } from './data-command.ts'
import { nameMissing } from './name-missing.ts'
import type { Into } from './program/run-into-file.ts'
import type { Shell } from './program/shell.ts'

type FlagWays = {
  /** Makes the value of the text that is typed; an InvalidArgumentError refuses it. */
  read?: (text: string) => unknown
  default?: string | number
  /** The names of other flags, in camel case. */
  conflicts?: string | string[]
}

export type Flag<Schema extends TSchema = TSchema> = FlagWays & { flags: string; summary: string; schema: Schema }

/** A bare schema is of an argument without a name, in the order of the command's words. */
export type Members = Readonly<Record<string, TSchema | Flag>>

type SchemaOf<Member> = Member extends Flag<infer Schema> ? Schema : Member extends TSchema ? Member : never
type ObjectOf<Typed extends Members> = TObject<{ [Name in keyof Typed]: SchemaOf<Typed[Name]> }>
type Given<Typed extends Members> = Static<ObjectOf<Typed>>

/** What one command is called, what is typed, and what it is run with. Light: what runs it is loaded late. */
export type DescribedCommand<Args extends TSchema = TSchema> = {
  words: string
  summary: string
  typed: Members
  args: Args
  /** Makes the arguments of what was typed, where that is more than one to one. */
  prepare?(given: unknown): object | Promise<object>
  /** The file that its data goes to instead of the terminal. */
  into?(given: unknown): Into | undefined
  /** The file that it reads instead of the terminal; nothing where none is given. */
  from?(given: unknown): string | undefined
}

/** One that runs without the data of an installation, among those that need it. */
type OtherCommand = (group: Command, shell: Shell) => void

type Described = Readonly<Record<string, DescribedCommand | OtherCommand>>

export type CommandGroup<Commands extends Described = Described> = {
  name: string
  /** The summaries of those whose commands have two words. */
  within?: Readonly<Record<string, string>>
  commands: Commands
}

/** A flag as commander reads it, with the schema of its value; one that is not optional is mandatory. */
export const flag = <Schema extends TSchema>(
  flags: string,
  summary: string,
  schema: Schema,
  ways: FlagWays = {},
): Flag<Schema> => ({ flags, summary, schema, ...ways })

/** `words` are the name and its arguments, such as `revoke <id>`. What is typed is what it is run with. */
export const command = <Typed extends Members>(
  words: string,
  summary: string,
  typed: Typed,
  ways: { into?(given: Given<Typed>): Into | undefined; from?(given: Given<Typed>): string | undefined } = {},
): DescribedCommand<ObjectOf<Typed>> => ({
  ...{ words, summary, typed },
  ...(ways as Pick<DescribedCommand, 'into' | 'from'>),
  args: objectOf(typed) as ObjectOf<Typed>,
})

/** Its arguments are made of what is typed. */
export const preparedCommand = <Typed extends Members, Args extends TSchema>(
  words: string,
  summary: string,
  typed: Typed,
  ways: {
    args: Args
    prepare(given: Given<Typed>): object | Promise<object>
    from?(given: Given<Typed>): string | undefined
  },
): DescribedCommand<Args> => ({
  ...{ words, summary, typed },
  ...(ways as Pick<DescribedCommand<Args>, 'args' | 'prepare' | 'from'>),
})

/** `name` is the word that the user types before those of a command. */
export const describeGroup = <Commands extends Described>(
  name: string,
  commands: Commands,
  ways: Pick<CommandGroup, 'within'> = {},
): CommandGroup<Commands> => ({ name, commands, ...ways })

export const isFlag = (member: TSchema | Flag): member is Flag => 'flags' in member

export const schemaOf = (member: TSchema | Flag): TSchema => (isFlag(member) ? member.schema : member)

export const objectOf = (typed: Members): TObject =>
  Type.Object(Object.fromEntries(Object.entries(typed).map(([name, member]) => [name, schemaOf(member)])))

/** What runs a described command. */
export type Run<One> =
  One extends DescribedCommand<infer Args>
    ? (context: CommandContext, args: Static<Args>, io: CommandIo) => Promise<number | undefined>
    : never

type Names<Commands> = {
  [Name in keyof Commands]: Commands[Name] extends DescribedCommand ? Name : never
}[keyof Commands]

type Implemented<Commands> = {
  [Name in Names<Commands>]: Commands[Name] extends DescribedCommand<infer Args> ? DataCommand<Args> : never
}

/** The commands of a group with what runs each. */
export function implement<Commands extends Described>(
  { name: group, commands }: CommandGroup<Commands>,
  runs: { [Name in Names<Commands>]: Run<Commands[Name]> },
): Implemented<Commands> {
  const described = Object.entries(commands)
  const made = described.flatMap(([name, one]) => {
    if (typeof one === 'function') return []
    const run = naming(group, name, runs[name as Names<Commands>])
    return [[name, { name: `${group}-${name}`, args: one.args, run, readsInput: one.from !== undefined }]]
  })
  return Object.fromEntries(made) as Implemented<Commands>
}

/** Has errors say which record is missing. */
const naming =
  (group: string, name: string, run: DataCommand['run']): DataCommand['run'] =>
  async (context, args, io) => {
    try {
      return await run(context, args, io)
    } catch (error) {
      throw nameMissing(error, group, name, Object(args))
    }
  }
