import { Command, CommanderError } from 'commander'
import { ownVersion } from '../http/own-version.ts'
import { exitCodes } from './command-error.ts'
import { describeFailure } from './describe-failure.ts'
import { addAgent } from './program/add-agent.ts'
import { addBackup } from './program/add-backup.ts'
import { addCompanion } from './program/add-companion.ts'
import { addDataCommands } from './program/add-data-commands.ts'
import { addDemo } from './program/add-demo.ts'
import { addDoctor } from './program/add-doctor.ts'
import { addMigrate } from './program/add-migrate.ts'
import { addReceiver } from './program/add-receiver.ts'
import { addServe } from './program/add-serve.ts'
import { addSimulate } from './program/add-simulate.ts'
import { addStart } from './program/add-start.ts'
import { addStatus } from './program/add-status.ts'
import { addTransfer } from './program/add-transfer.ts'
import type { Shell } from './program/shell.ts'
import { OutputClosed, standardInput, terminalIo } from './terminal-io.ts'

/** The table of contents of the command line. */
const parts = [
  addStart,
  addDemo,
  addServe,
  addMigrate,
  addDoctor,
  addStatus,
  addBackup,
  addTransfer,
  addDataCommands,
  addReceiver,
  addAgent,
  addCompanion,
  addSimulate,
]

/** What shells report of a process that SIGINT ended, and of one that SIGPIPE did. */
const [interrupted, pipeClosed] = [130, 141]

const help = `
Settings are environment variables; see docs/configuration.md. Exit codes: 0 done, 1 failed, 2 wrong use,
3 wrong configuration, 4 the database cannot be opened, 5 there is no such thing,
130 interrupted, 141 the reader of its output went away.`

/** Runs one command line (without node and script) and resolves to the exit code. */
export async function main(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const stopping = new AbortController()
  // The second signal finds no handler and ends the process as usual.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort())
  const { stdout: output, stderr: errors } = process
  // A reader that goes away, such as head, also fails the write that meets it, which is where it is judged.
  for (const stream of [output, errors]) stream.on('error', () => {})
  const io = terminalIo({ output, errors, input: standardInput(stopping.signal), signal: stopping.signal })
  const shell: Shell = { env, io, exitCode: exitCodes.ok }
  try {
    await (await program(shell, args)).parseAsync(args, { from: 'user' })
    return shell.exitCode
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage
    if (error instanceof OutputClosed) return pipeClosed
    if (stopping.signal.aborted) return interrupted
    const { exitCode, text } = describeFailure(error)
    await io.error(text).catch(() => {})
    return exitCode
  }
}

async function program(shell: Shell, args: readonly string[]): Promise<Command> {
  const muster = new Command('muster')
    .description('Device trust and endpoint compliance: checks on devices, issues that warn and then block.')
    .version(ownVersion, '-V, --version', 'Print the version')
    .addHelpText('after', help)
    .showHelpAfterError('(add --help for how to use it)')
    .exitOverride()
  for (const add of parts) await add(muster, shell, args)
  return muster
}
