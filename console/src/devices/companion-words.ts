import type { CompanionStanding } from '@muster/contract/console-values.ts'

export const companionWords: Readonly<Record<CompanionStanding, string>> = {
  linked: 'Linked',
  linking: 'Waiting for its link',
  none: 'No companion',
  seen_twice: 'Key seen twice',
}
