import { fractionOf } from '../seeded.ts'
import type { Laptop } from './laptop.ts'
import type { SignInPlan } from './sign-in.ts'
import type { LaptopKind } from './sign-in-setup.ts'

export type Member = { email: string; laptop: Laptop }

/** Of every hundred sign-ins, so many are of this kind; the rest get in. */
const shares = { blocked: 0.12, warned: 0.1, other: 0.06, withoutAgent: 0.06, cancel: 0.05 } as const

/** The kinds of the laptops of so many people: where there are enough of them, some are blocked and some are about to be. */
export const kindOfLaptop = (index: number): LaptopKind =>
  index % 5 === 3 ? 'blocked' : index % 5 === 4 ? 'warned' : 'good'

/** The sign-in with this number: everyone once in turn, which registers their laptops, then as the seed has it. */
export function planSignIn(members: readonly Member[], seed: number, number: number): SignInPlan {
  const first = members[number]
  if (first) return { ...first, intent: 'sign_in' }
  let left = fractionOf(seed, number)
  const isNext = (share: number) => {
    left -= share
    return left < 0
  }
  if (isNext(shares.blocked)) return { ...oneOf('blocked'), intent: 'sign_in' }
  if (isNext(shares.warned)) return { ...oneOf('warned'), intent: 'sign_in' }
  if (isNext(shares.other)) return { email: oneOf('good').email, laptop: someoneElses(), intent: 'sign_in' }
  if (isNext(shares.withoutAgent)) return { ...oneOf('good'), intent: 'without_agent' }
  if (isNext(shares.cancel)) return { ...oneOf('good'), intent: 'cancel' }
  return { ...oneOf('good'), intent: 'sign_in' }

  function oneOf(kind: LaptopKind): Member {
    const fitting = members.filter(({ laptop }) => laptop.kind === kind)
    return pick(fitting.length > 0 ? fitting : members)
  }

  function someoneElses(): Laptop {
    const { email } = oneOf('good')
    const others = members.filter((member) => member.email !== email)
    return pick(others.length > 0 ? others : members).laptop
  }

  /** In turn, so that nobody signs in more often than needs be: a server stops who comes again at once. */
  function pick(list: readonly Member[]): Member {
    const found = list[number % list.length]
    if (!found) throw new Error('There is nobody to sign in')
    return found
  }
}
