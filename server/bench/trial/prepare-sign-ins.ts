import type { SignInSetup } from '@muster/agent/simulate/sign-ins/sign-in-setup.ts'
import { loadConfig } from '../../src/base/config/load-config.ts'
import { newConnectionCommands } from '../../src/cli/commands/add-connection-commands.ts'
import { enrollmentSecretCommands } from '../../src/cli/commands/enrollment-commands.ts'
import { keyCommands } from '../../src/cli/commands/key-commands.ts'
import { prepareSignInsCommand } from '../../src/cli/commands/prepare-sign-ins-command.ts'
import type { DataCommand } from '../../src/cli/data-command.ts'
import { runDataCommand } from '../../src/cli/run-data-command.ts'
import type { PreparedSignIns } from '../../src/cli/sign-ins/prepare-sign-ins.ts'
import type { SignInFile } from '../../src/cli/sign-ins/sign-in-file.ts'
import { newSignInFile } from '../../src/cli/sign-ins/simulate-sign-ins.ts'

type Env = Readonly<Record<string, string>>

/** Makes on the database of a server that does not run yet what simulated sign-ins of so many people need. */
export const prepareSignIns = (env: Env, people: number): Promise<SignInFile> =>
  newSignInFile(
    async (requestKey) =>
      JSON.parse(await answerOf(env, prepareSignInsCommand, { people, requestKey })) as PreparedSignIns,
  )

/**
 * The same people at connections of their own, whose requests the same key signs: nobody may come to one application again
 * and again.
 */
export async function addConnections(
  env: Env,
  setup: SignInSetup,
  connections: number,
  redirectUri = setup.redirectUri,
): Promise<SignInSetup[]> {
  const { kty, n, e, kid, alg, use } = setup.requestKey
  const requestKeys = JSON.stringify({ keys: [{ kty, n, e, kid, alg, use }] })
  const setups: SignInSetup[] = []
  for (let number = 1; number <= connections; number += 1) {
    const asked = { name: `Application ${number}`, redirectUris: [redirectUri], requestKeys }
    setups.push({ ...setup, ...readClient(await answerOf(env, newConnectionCommands.secondStep, asked)), redirectUri })
  }
  return setups
}

/** A key that may ask for checks to run again. */
export async function addRefreshKey(env: Env): Promise<string> {
  const asked = { name: 'Bench', permissions: ['refresh_check'], rationale: 'The bench breaks a laptop.' }
  return (await answerOf(env, keyCommands.create, asked)).trim()
}

/** A secret whose devices are registered to this person as they enroll. */
export async function addOwnerSecret(env: Env, email: string): Promise<string> {
  return (await answerOf(env, enrollmentSecretCommands.create, { name: 'Bench', personEmail: email })).trim()
}

const readClient = (text: string) => ({
  clientId: /^Client ID: +(\S+)$/m.exec(text)?.[1] ?? '',
  clientSecret: /^Client secret: +(\S+)$/m.exec(text)?.[1] ?? '',
})

async function answerOf(env: Env, command: DataCommand, args: unknown): Promise<string> {
  let answer = ''
  const write = async (text: string) => {
    answer += text
  }
  const line = (text: string) => write(`${text}\n`)
  const io = { write, line, error: async () => {}, input: noInput(), signal: new AbortController().signal }
  await runDataCommand(loadConfig(env), command, args, io)
  return answer
}

async function* noInput(): AsyncGenerator<Uint8Array> {}
