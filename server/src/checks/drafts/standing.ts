import { catalogue } from '../catalogue/catalogue.ts'
import type { DraftRow } from './queries.ts'
import { type Section, type SectionStatus, sectionOf } from './section.ts'
import { type SectionName, sectionNames } from './sections.ts'

type Surroundings = Pick<
  DraftRow,
  'slug' | 'check_type' | 'check_id' | 'check_slug' | 'check_kind' | 'taken_by_check_id' | 'taken_by_draft_id'
>

const catalogueSlugs = new Set(catalogue.map(({ slug }) => slug))

/** What other records have against the details of a draft. */
function faultsAround(draft: Surroundings): string[] {
  const faults: string[] = []
  const { slug, taken_by_check_id: checkId, taken_by_draft_id: draftId } = draft
  if (checkId !== null) faults.push(`check ${checkId} has the slug already`)
  if (slug !== '' && draftId !== null) faults.push(`draft ${draftId} has the slug already`)
  if (catalogueSlugs.has(slug)) faults.push('a check that comes with Muster has the slug')
  if (draft.check_id === null) return faults
  if (draft.check_slug !== slug) faults.push(`the check that is published keeps its slug ${draft.check_slug}`)
  const kind = draft.check_type === 'external' ? 'external' : 'custom'
  if (draft.check_kind !== kind) faults.push('the check that is published keeps its type')
  return faults
}

type Statuses = Record<`${SectionName}_status`, SectionStatus>

/** The states of a stored draft, from what was judged when it last changed and what is around it now. */
export function statusesOf(draft: Surroundings & Statuses): Statuses {
  const { osquery_sql_status, notification_templates_status, details_status, privacy_center_details_status } = draft
  return {
    osquery_sql_status,
    notification_templates_status,
    details_status: faultsAround(draft).length > 0 ? 'bad' : details_status,
    privacy_center_details_status,
  }
}

export const isPublishable = (statuses: Statuses): boolean =>
  sectionNames.every((name) => statuses[`${name}_status`] === 'good')

/** As `statusesOf`, with reasons: what the fields say by themselves, and what is around them now. */
export function sectionsAround(
  draft: Surroundings,
  sections: Record<SectionName, Section>,
): Record<SectionName, Section> {
  const faults = faultsAround(draft)
  if (faults.length === 0) return sections
  const { reasons } = sections.details
  return { ...sections, details: { ...sectionOf([], faults), reasons: [...reasons, ...faults] } }
}
