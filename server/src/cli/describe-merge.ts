import type { MergePreview } from '@muster/contract/console-merges.ts'

/** What a merge would do, in lines for a terminal. */
export function describeMerge({
  kept,
  other,
  agent,
  needs_confirmation: isDoubtful,
  takes,
  ...rest
}: MergePreview): string[] {
  const from = { kept: kept.id, other: other.id }
  return [
    `Stays: device ${kept.id} "${kept.name}", owner ${kept.owner_name ?? 'nobody'}`,
    `Is deleted: device ${other.id} "${other.name}", owner ${other.owner_name ?? 'nobody'}, ${other.open_issues} open issues`,
    `Agent that continues: ${agent === null ? 'none' : `that of device ${from[agent]}`}`,
    ...(takes.owner_name === null ? [] : [`Gets the owner ${takes.owner_name}`]),
    ...(takes.note ? ['Gets the note'] : []),
    ...(takes.group_names.length === 0 ? [] : [`Joins the groups ${takes.group_names.join(', ')}`]),
    ...(takes.exempted_checks.length === 0 ? [] : [`Gets exemptions from ${takes.exempted_checks.join(', ')}`]),
    ...(rest.suspends_registration ? ['Its registration is suspended until the owner confirms it'] : []),
    ...(isDoubtful ? ['Both are reporting and share no serial or hardware UUID: add --one-machine to merge them'] : []),
  ]
}
