import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Command, CommanderError, InvalidArgumentError } from 'commander'
import Type from 'typebox'
import { CommandError } from '../command-error.ts'
import type { CommandIo } from '../data-command.ts'
import { command, describeGroup, flag, preparedCommand } from '../describe-commands.ts'
import { addGroup } from './add-data-commands.ts'

const nothing = async () => {}
const io: CommandIo = {
  ...{ write: nothing, line: nothing, error: nothing },
  input: (async function* () {})(),
  signal: new AbortController().signal,
}

const text = Type.String()
const wait = Type.Integer({ minimum: 1, maximum: 9 })

const group = describeGroup(
  'toys',
  {
    make: command('make <toy> [colour]', 'Make a toy', {
      name: Type.String({ minLength: 1 }),
      colour: Type.Optional(Type.Enum(['red', 'blue'])),
      why: flag('--why <text>', 'why', text),
      size: flag('--size <size>', 'how big', Type.Optional(Type.Enum(['small', 'large']))),
      parts: flag('--part <parts...>', 'of what', Type.Optional(Type.Array(text))),
      isLoud: flag('--loud', 'with a noise', Type.Optional(Type.Boolean())),
      wait: flag('--wait <seconds>', 'for how long', wait, { default: 3 }),
      endsAt: flag('--ends-at <time>', 'when', Type.Optional(Type.String({ format: 'date-time' }))),
      halves: flag('--whole <count>', 'doubled', Type.Optional(Type.Integer()), { read: async (of) => 2 * Number(of) }),
    }),
    choose: preparedCommand(
      'pick one <name>',
      'Choose a toy',
      { name: text, on: flag('--on', 'on', Type.Optional(Type.Boolean())) },
      {
        args: Type.Object({ chosen: text }),
        prepare({ name, on }) {
          if (!on) throw new InvalidArgumentError('say --on')
          return { chosen: name }
        },
      },
    ),
  },
  { within: { pick: 'Choose toys' } },
)

type Outcome = { args?: unknown; said: string }

/** What a command line is run with, or what is said against it. */
async function outcomeOf(...line: string[]): Promise<Outcome> {
  const outcome: Outcome = { said: '' }
  const say = (words: string) => {
    outcome.said += words
  }
  const toys = new Command('toys').exitOverride().configureOutput({ writeOut: say, writeErr: say })
  addGroup(toys, { env: {}, io, exitCode: 0 }, group, async (_key, { args }) => {
    outcome.args = args
  })
  await toys.parseAsync(line, { from: 'user' }).catch((error: unknown) => {
    if (error instanceof CommandError) say(error.message)
    else if (!(error instanceof CommanderError)) throw error
  })
  return outcome
}

test('arguments, flags, lists and switches become what their schemas say, with defaults', async () => {
  assert.deepEqual((await outcomeOf('make', 'top', '--why', 'fun')).args, { name: 'top', why: 'fun', wait: 3 })
  const line = ['make', 'top', 'red', '--why', 'fun', '--size', 'large', '--part', 'a', 'b', '--loud', '--wait', '5']
  assert.deepEqual((await outcomeOf(...line, '--whole', '2')).args, {
    ...{ name: 'top', colour: 'red', why: 'fun', size: 'large', parts: ['a', 'b'], isLoud: true, wait: 5, halves: 4 },
  })
})

test('what is left out, unknown, not a choice or out of bounds is refused', async () => {
  const faults: [string[], RegExp][] = [
    [['make', 'top'], /required option '--why <text>' not specified/],
    [['make', '--why', 'fun'], /missing required argument 'toy'/],
    [['make', 'top', 'green', '--why', 'fun'], /Allowed choices are red, blue/],
    [['make', 'top', '--why', 'fun', '--size', 'huge'], /Allowed choices are small, large/],
    [
      ['make', 'top', '--why', 'fun', '--wait', '10'],
      /'--wait <seconds>' argument '10' is invalid. Give a whole number from 1 to 9/,
    ],
    [['make', 'top', '--why', 'fun', '--speed', '1'], /unknown option '--speed'/],
    [['pick', 'one', 'top'], /error: say --on/],
    [
      ['make', 'top', '--why', 'fun', '--ends-at', '2026-12-01'],
      /^error: --ends-at must be an ISO 8601 date and time with a time zone, such as /,
    ],
    [['make', '', '--why', 'fun'], /^error: toy must not be empty$/],
  ]
  for (const [line, fault] of faults) {
    const { args, said } = await outcomeOf(...line)
    assert.equal(args, undefined, line.join(' '))
    assert.match(said, fault)
  }
})

test('a command of two words is among others of the first, and may make its arguments of what is typed', async () => {
  assert.deepEqual((await outcomeOf('pick', 'one', 'top', '--on')).args, { chosen: 'top' })
  assert.match((await outcomeOf('--help')).said, /pick +Choose toys/)
})
