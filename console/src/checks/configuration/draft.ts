import type { CheckConfiguration, CheckConfigurationRequest } from '@muster/contract/check-configurations.ts'
import { type OptionDefinitions, type OptionDraft, optionDraftOf, optionValueOf } from './option-drafts.ts'

/** What the form holds: numbers and days as they are typed. */
export type Draft = {
  readonly strategy: CheckConfiguration['remediation_strategy']
  readonly graceDays: string
  /** A day, or blank. */
  readonly begins: string
  readonly maySnooze: boolean
  readonly mayAsk: boolean
  readonly targeted: readonly string[]
  readonly excluded: readonly string[]
  readonly blocksIn: readonly string[]
  readonly neverIn: readonly string[]
  readonly options: Readonly<Record<string, OptionDraft>>
  readonly shelfLifeMinutes: string
  readonly paused: boolean
}

export type Definitions = OptionDefinitions

export function draftOf(saved: CheckConfiguration, definitions: Definitions): Draft {
  const options = JSON.parse(saved.options) as Record<string, unknown>
  return {
    strategy: saved.remediation_strategy,
    graceDays: String(saved.block_auth_grace_period_days),
    begins: saved.begins_blocking_on?.slice(0, 10) ?? '',
    maySnooze: !saved.snooze_disallowed,
    mayAsk: !saved.exemptions_disallowed,
    targeted: saved.targeted_groups,
    excluded: saved.excluded_groups,
    blocksIn: saved.blocking_allowed_groups,
    neverIn: saved.blocking_excluded_groups,
    options: Object.fromEntries(
      Object.entries(definitions).map(([name, definition]) => [name, optionDraftOf(definition, options[name])]),
    ),
    shelfLifeMinutes: String(saved.auth_check_run_shelf_life_seconds / 60),
    paused: saved.paused,
  }
}

export type Change = { readonly change: CheckConfigurationRequest; readonly begins_blocking_on?: string | null }

/** What is typed as a number is sent as one; anything else goes as it is, and the server says what is wrong with it. */
const numberOf = (text: string): number => (text.trim() === '' ? Number.NaN : Number(text))

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/** The members that differ from what is saved. */
export function changeOf(saved: CheckConfiguration, draft: Draft, definitions: Definitions): Change {
  const before = draftOf(saved, definitions)
  const differs = (name: keyof Draft) => !isSame(before[name], draft[name])
  const options = () =>
    Object.fromEntries(
      Object.entries(definitions).map(([name, definition]) => [
        name,
        optionValueOf(definition, draft.options[name] ?? ''),
      ]),
    )
  const change = {
    ...(differs('paused') && { paused: draft.paused }),
    ...(differs('strategy') && { remediation_strategy: draft.strategy }),
    ...(differs('graceDays') && { block_auth_grace_period_days: numberOf(draft.graceDays) }),
    ...(differs('shelfLifeMinutes') && {
      auth_check_run_shelf_life_seconds: Math.round(numberOf(draft.shelfLifeMinutes) * 60),
    }),
    ...(differs('maySnooze') && { snooze_disallowed: !draft.maySnooze }),
    ...(differs('mayAsk') && { exemptions_disallowed: !draft.mayAsk }),
    ...(differs('targeted') && { targeted_groups: [...draft.targeted] }),
    ...(differs('excluded') && { excluded_groups: [...draft.excluded] }),
    ...(differs('blocksIn') && { blocking_allowed_groups: [...draft.blocksIn] }),
    ...(differs('neverIn') && { blocking_excluded_groups: [...draft.neverIn] }),
    ...(differs('options') && { options: options() }),
  }
  if (!differs('begins')) return { change }
  return { change, begins_blocking_on: draft.begins === '' ? null : `${draft.begins}T00:00:00.000Z` }
}

export const countOf = ({ change, begins_blocking_on: begins }: Change): number =>
  Object.keys(change).length + (begins === undefined ? 0 : 1)

/** What keeps a change from being asked about; the server says the rest. */
export function faultsOf(draft: Draft): Readonly<Record<string, string>> {
  const faults: Record<string, string> = {}
  if (!/^\d{1,4}$/.test(draft.graceDays.trim()) || Number(draft.graceDays) > 3_650) {
    faults['block_auth_grace_period_days'] = 'Must be a whole number of days, 3650 at most'
  }
  if (!(numberOf(draft.shelfLifeMinutes) >= 0 && numberOf(draft.shelfLifeMinutes) <= 525_600)) {
    faults['auth_check_run_shelf_life_seconds'] = 'Must be a number of minutes'
  }
  return faults
}

const words: Readonly<Record<keyof Draft, string>> = {
  strategy: 'the strategy',
  graceDays: 'the grace period',
  begins: 'not before',
  maySnooze: 'snoozing',
  mayAsk: 'asking for exemptions',
  targeted: 'checked on',
  excluded: 'not checked on',
  blocksIn: 'blocks in',
  neverIn: 'never blocks in',
  options: 'options',
  shelfLifeMinutes: 'the age of results',
  paused: 'pausing',
}

/** Brings what was not touched in line with what was saved meanwhile; `others` names it. */
export function rebase(draft: Draft, base: Draft, saved: Draft): { draft: Draft; others: string[] } {
  const names = (Object.keys(words) as (keyof Draft)[]).filter((name) => !isSame(base[name], saved[name]))
  const taken = names.filter((name) => isSame(draft[name], base[name]))
  return {
    draft: { ...draft, ...Object.fromEntries(taken.map((name) => [name, saved[name]])) },
    others: names.filter((name) => !isSame(draft[name], saved[name])).map((name) => words[name]),
  }
}
