import { fail } from '../../base/errors.ts'
import { faultsOfPassword } from './rules.ts'

/** Beyond them nothing that is common goes on, and estimating takes longer with each. */
const charactersEstimated = 64
/** What is found among so many tries is found online, too. */
const enoughGuesses = 1_000_000

/** The lists take 10 MB, which a process has only once someone chooses a password. */
let loaded: ReturnType<typeof loadEstimator> | undefined

async function loadEstimator() {
  const [{ ZxcvbnFactory }, { dictionary, adjacencyGraphs: graphs }] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
  ])
  return new ZxcvbnFactory({ dictionary, graphs })
}

/** Why a password is among the first that anyone would try; undefined when it is not. */
export async function faultOfCommonPassword(password: string): Promise<string | undefined> {
  loaded ??= loadEstimator()
  const estimator = await loaded
  const { guesses, sequence } = estimator.check(password.slice(0, charactersEstimated))
  if (guesses >= enoughGuesses) return undefined
  const isListed = sequence.some((match) => 'dictionaryName' in match && match.dictionaryName === 'passwords-common')
  return `Choose a less common password: this one is ${isListed ? 'in lists of leaked passwords' : 'easy to guess'}.`
}

/** Fails with invalid and what is wrong with a password that someone wants. */
export async function refusePassword(
  password: string,
  { email }: { email: string },
  field = 'password',
): Promise<void> {
  const errors = faultsOfPassword(password, { email }).map((fault) => ({ ...fault, field }))
  if (errors.length > 0) fail('invalid', { errors })
  const message = await faultOfCommonPassword(password)
  if (message !== undefined) fail('invalid', { errors: [{ field, message }] })
}
