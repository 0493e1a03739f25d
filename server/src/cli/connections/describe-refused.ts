import { systemNames } from '@muster/contract/computer-types.ts'
import type { SignInReadiness } from '@muster/contract/console-sign-in.ts'
import { type RefusalReason, refusalReasons } from '@muster/contract/refusal-reasons.ts'

const words: Readonly<Record<RefusalReason, string>> = {
  no_device: 'without a registered device',
  no_companion_for_platform: 'on a system that this server makes no companion for',
  no_companion: 'without a linked companion',
  companion_silent: 'with a companion that was silent for 7 days',
  suspended: 'with a suspended registration',
  blocked: 'with a blocked device',
  phone_only: 'who sign in from a phone or an unsupported browser only',
}

/** How many people a connection that enforces would refuse today, by reason: `2 with a blocked device`. */
export const describeRefused = ({ reasons, platforms }: SignInReadiness): string[] =>
  refusalReasons.flatMap((reason) => {
    if (reasons[reason] === 0) return []
    const systems = platforms.map(({ device_type: type, people_count: count }) => `${systemNames[type]}: ${count}`)
    const which = reason === 'no_companion_for_platform' ? ` (${systems.join(', ')})` : ''
    return [`${reasons[reason]} ${words[reason]}${which}`]
  })
