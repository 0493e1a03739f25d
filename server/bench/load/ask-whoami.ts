import type { SignInTrial } from '../trial/open-sign-ins.ts'
import { requestBytes } from './http-request.ts'
import { runLoad } from './run-load.ts'

/** Asks for `GET /whoami` so many times, and returns how many those were. */
export async function askWhoami(
  { ours, trial }: Pick<SignInTrial, 'ours' | 'trial'>,
  { total, connections }: { total: number; connections: number },
): Promise<number> {
  const one = requestBytes({ path: '/whoami', headers: { authorization: `Bearer ${trial.apiKey}` } })
  const turns = Array.from({ length: total }, () => one).values()
  const { failures } = await runLoad({ origin: ours.origin, connections, next: () => turns.next().value })
  if (failures > 0) throw new Error(`${failures} of ${total} failed`)
  return total
}
