import type { CheckConfiguration } from '@muster/contract/check-configurations.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { query } from '../../api/query.ts'
import { useSession } from '../../api/session.ts'
import { Failure, SkeletonRows } from '../../components/notices.tsx'
import { checkFactsQuery } from '../check-queries.ts'
import { ConfigurationEditor } from './configuration-editor.tsx'
import { ConfigurationForm } from './configuration-form.tsx'
import { type Definitions, type Draft, draftOf } from './draft.ts'
import './configuration.css'

const route = getRouteApi('/shell/checks/$checkId/configuration')

export function ConfigurationTab() {
  const { checkId } = route.useParams()
  const { resume, revert } = route.useSearch()
  const session = useSession()
  const facts = useQuery(checkFactsQuery(checkId))
  const saved = useQuery(query('getCheckConfiguration', { params: { checkId } }))
  const earlier = useQuery(
    query(
      'getCheckConfigurationAt',
      { params: { checkId, entryId: revert ?? '' } },
      { enabled: revert !== undefined, staleTime: 0 },
    ),
  )
  if (saved.isError && !saved.data) {
    return (
      <Failure what="The configuration could not be loaded." error={saved.error} onRetry={() => void saved.refetch()} />
    )
  }
  if (earlier.isError) {
    return (
      <Failure
        what="The configuration from then could not be loaded."
        error={earlier.error}
        onRetry={() => void earlier.refetch()}
      />
    )
  }
  if (!saved.data || !facts.data || (revert !== undefined && !earlier.data)) return <SkeletonRows rows={8} />
  // Written by the server, which alone reads it otherwise.
  const definitions = JSON.parse(facts.data.option_definitions) as Definitions
  if (!session?.permissions.includes('configure_checks')) {
    return <ReadOnly saved={saved.data} definitions={definitions} />
  }
  return (
    <>
      {earlier.data && <RevertNote deletedGroups={earlier.data.deleted_groups} />}
      <ConfigurationEditor
        key={`${checkId} ${revert ?? ''}`}
        facts={facts.data}
        saved={saved.data}
        definitions={definitions}
        begin={beginOf(saved.data, definitions, { isResuming: resume === '1', earlier: earlier.data?.configuration })}
      />
    </>
  )
}

type Begin = { readonly isResuming: boolean; readonly earlier: CheckConfiguration | undefined }

/** What the form begins with, before anyone has typed. */
function beginOf(saved: CheckConfiguration, definitions: Definitions, { isResuming, earlier }: Begin): Draft {
  if (earlier) return draftOf(earlier, definitions)
  return { ...draftOf(saved, definitions), ...(isResuming && { paused: false }) }
}

const RevertNote = ({ deletedGroups }: { readonly deletedGroups: number }) => (
  <p className="note" role="status">
    This is the configuration as it was then. Nothing is saved yet: review the preview, then save.
    {deletedGroups > 0 &&
      ` ${deletedGroups === 1 ? 'One group' : `${deletedGroups} groups`} that it named no longer exist${deletedGroups === 1 ? 's' : ''} and will be left out.`}
  </p>
)

type Parts = { readonly saved: CheckConfiguration; readonly definitions: Definitions }

/** For whoever may see what a check does, and not change it. */
function ReadOnly({ saved, definitions }: Parts) {
  const draft = draftOf(saved, definitions)
  return (
    <div className="tab-body">
      <p className="note">You can view this configuration. To change it, you need the permission “Configure Checks”.</p>
      <fieldset className="configuration-view" disabled>
        <legend className="hidden">Configuration</legend>
        <ConfigurationForm
          draft={draft}
          saved={draft}
          definitions={definitions}
          preview={undefined}
          faultUnder={() => undefined}
          onChange={() => {}}
        />
      </fieldset>
    </div>
  )
}
