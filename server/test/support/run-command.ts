import { Command } from 'commander'
import type { Static, TSchema } from 'typebox'
import type { CommandIo, DataCommand } from '../../src/cli/data-command.ts'
import type { DescribedCommand } from '../../src/cli/describe-commands.ts'
import { takeDescribed } from '../../src/cli/program/take-described.ts'
import type { TestApp } from './app.ts'

type Given = { input?: AsyncIterable<Buffer>; signal?: AbortSignal; onLine?: (text: string) => void }

/** Runs commands as the terminal would on the database of `trial`, at `now`. */
export const commandsOn =
  (trial: TestApp, now: string) =>
  async <Args extends TSchema>(command: DataCommand<Args>, args: Static<Args>, given: Given = {}) => {
    const seen = { out: '', err: '' }
    const write = async (text: string) => {
      seen.out += text
    }
    const io: CommandIo = {
      write,
      line: (text) => {
        given.onLine?.(text)
        return write(`${text}\n`)
      },
      error: async (text) => {
        seen.err += `${text}\n`
      },
      input: given.input ?? (async function* () {})(),
      signal: given.signal ?? new AbortController().signal,
    }
    const { connection } = trial.database
    const exit = (await command.run({ connection, secrets: trial.secrets, config: trial.config, now }, args, io)) ?? 0
    return { exit, ...seen }
  }

/** What a command of one record is run with when its identifier and `flags` are typed. */
export async function typedArgs(described: DescribedCommand, id: string, ...flags: string[]): Promise<unknown> {
  let args: unknown
  const command = new Command('change').argument('<id>').exitOverride()
  takeDescribed(command, described, async (ready) => {
    args = ready.args
  })
  await command.parseAsync([id, ...flags], { from: 'user' })
  return args
}
