import type { MergePreview } from '@muster/contract/console-merges.ts'
import { visibleText } from '../components/visible-text.ts'

/** Two records of one machine often have one name: then the numbers tell them apart. */
export function nameIn(preview: MergePreview, which: 'kept' | 'other'): string {
  const { id, name } = preview[which]
  return preview.kept.name === preview.other.name ? `${visibleText(name)} (${id})` : visibleText(name)
}

const issuesOf = (count: number): string =>
  count === 0 ? 'its results' : `its results and ${count === 1 ? '1 open issue' : `${count} open issues`}`

const namesOf = (names: readonly string[]): string => names.map(visibleText).join(', ')

/** What follows from a merge, one line each. */
export function mergeConsequences(preview: MergePreview): string[] {
  const { other, agent, takes } = preview
  const [kept, gone] = [nameIn(preview, 'kept'), nameIn(preview, 'other')]
  const losesOwner =
    other.owner_name !== null && takes.owner_name === null && other.owner_name !== preview.kept.owner_name
  return [
    `${gone} is deleted, with ${issuesOf(other.open_issues)}. You cannot undo a merge: if you restore ${gone}, it comes back without its agent.`,
    ...agentLine(agent, kept, gone),
    ...doubtLine(preview),
    ...(losesOwner ? [`${visibleText(other.owner_name ?? '')} is no longer registered with it.`] : []),
    ...(takes.owner_name === null ? [] : [`${kept} is registered to ${visibleText(takes.owner_name)}.`]),
    ...(preview.suspends_registration
      ? [
          `The registration of ${kept} is suspended until its owner or an administrator confirms it: the agent that continues was not registered to the owner, or the registration was in doubt already.`,
        ]
      : []),
    ...(takes.note ? [`${kept} gets the note of ${gone}.`] : []),
    ...(takes.group_names.length === 0 ? [] : [`${kept} joins ${namesOf(takes.group_names)}.`]),
    ...(takes.exempted_checks.length === 0 ? [] : [`${kept} is exempted from ${namesOf(takes.exempted_checks)}.`]),
  ]
}

function agentLine(agent: MergePreview['agent'], kept: string, gone: string): string[] {
  if (agent === null) return []
  if (agent === 'kept') return [`The agent of ${kept} reported last and continues. The agent of ${gone} is refused.`]
  return [
    `The agent of ${gone} reported last and continues as ${kept}, without enrolling again. All checks run again when it next checks in.`,
  ]
}

function doubtLine({ both_report: doBothReport, needs_confirmation: isDoubtful, same }: MergePreview): string[] {
  if (isDoubtful) {
    return ['Both are reporting now, and share no serial or hardware UUID. They look like two machines.']
  }
  if (!doBothReport) return []
  return [
    `Both are reporting now, with the same ${same.serial ? 'serial' : 'hardware UUID'}. If they are two machines, do not merge them.`,
  ]
}
