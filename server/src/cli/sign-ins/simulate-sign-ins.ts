import { randomInt } from 'node:crypto'
import { openSignIns, type SignInsOptions } from '@muster/agent/simulate/sign-ins/run-sign-ins.ts'
import { formatSignInReport } from '@muster/agent/simulate/sign-ins/sign-in-report.ts'
import { exportJWK, generateKeyPair } from 'jose'
import { CommandError, exitCodes } from '../command-error.ts'
import type { CommandIo } from '../data-command.ts'
import type { PreparedSignIns } from './prepare-sign-ins.ts'
import { readSignInFile, type SignInFile, writeSignInFile } from './sign-in-file.ts'

export type SimulatedRun = Pick<
  SignInsOptions,
  'caFile' | 'concurrency' | 'count' | 'durationMs' | 'perSecond' | 'seed'
> & {
  file: string
  isPreparing: boolean
}

/** Makes on the server what the sign-ins need, for the public key that signs their requests. */
export type Prepare = (requestKey: Record<string, string>) => Promise<PreparedSignIns>

/** Signs in as a file says, which is made first where there is none. Returns the exit code. */
export async function simulateSignIns(run: SimulatedRun, prepare: Prepare, io: CommandIo): Promise<number> {
  const { file, isPreparing } = run
  const known = await readSignInFile(file)
  if (isPreparing && known) throw new CommandError(exitCodes.usage, `${file} is there already`)
  const content = known ?? (await newSignInFile(prepare))
  await writeSignInFile(file, content)
  if (isPreparing) {
    await io.line(
      `${file} has what simulated sign-ins at ${content.setup.issuer} need. It holds secrets: keep it safe.`,
    )
    return exitCodes.ok
  }
  await io.error('This is a simulation: nobody signs in, and the sign-in log says (simulated) in browser_user_agent.')
  const report = await runFile(run, content, io)
  await io.line(formatSignInReport(report))
  return Object.keys(report.failures).length === 0 ? exitCodes.ok : exitCodes.failure
}

/** The keys of new sign-ins, with what the server has made for them. */
export async function newSignInFile(prepare: Prepare): Promise<SignInFile> {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true })
  const named = { kid: 'simulated', alg: 'RS256', use: 'sig' }
  const prepared = await prepare({ ...((await exportJWK(publicKey)) as Record<string, string>), ...named })
  const setup = { ...prepared, requestKey: { ...(await exportJWK(privateKey)), ...named } }
  return { setup, laptopSeed: randomInt(2 ** 31), laptops: [] }
}

async function runFile({ file, ...run }: SimulatedRun, content: SignInFile, io: CommandIo) {
  const opened = await openSignIns({
    ...run,
    ...content,
    log: (line) => void io.error(line).catch(() => {}),
    signal: io.signal,
  }).catch((error: unknown) => {
    io.signal.throwIfAborted()
    throw new CommandError(exitCodes.failure, whyNot(content, file, error))
  })
  try {
    await writeSignInFile(file, { ...content, laptops: opened.memories })
    return await opened.run()
  } finally {
    await opened.close()
  }
}

function whyNot({ setup }: SignInFile, file: string, error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error)
  const { origin } = new URL(setup.issuer)
  return `The laptops cannot enroll at ${origin}: ${reason}\nStart the server, or delete ${file} if it is of another one`
}
