import type { CheckConfiguration } from '@muster/contract/check-configurations.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useSession } from '../../api/session.ts'
import { Failure, SkeletonRows } from '../../components/notices.tsx'
import { checkFactsQuery, configurationQuery } from '../check-queries.ts'
import { ConfigurationEditor } from './configuration-editor.tsx'
import { ConfigurationForm } from './configuration-form.tsx'
import { type Definitions, draftOf } from './draft.ts'
import './configuration.css'

const route = getRouteApi('/shell/checks/$checkId/configuration')

export function ConfigurationTab() {
  const { checkId } = route.useParams()
  const { resume } = route.useSearch()
  const session = useSession()
  const facts = useQuery(checkFactsQuery(checkId))
  const saved = useQuery(configurationQuery(checkId))
  if (saved.isError && !saved.data) {
    return (
      <Failure what="The configuration could not be loaded." error={saved.error} onRetry={() => void saved.refetch()} />
    )
  }
  if (!saved.data || !facts.data) return <SkeletonRows rows={8} />
  // Written by the server, which alone reads it otherwise.
  const definitions = JSON.parse(facts.data.option_definitions) as Definitions
  if (!session?.permissions.includes('configure_checks')) {
    return <ReadOnly saved={saved.data} definitions={definitions} />
  }
  return (
    <ConfigurationEditor
      key={checkId}
      facts={facts.data}
      saved={saved.data}
      definitions={definitions}
      isResuming={resume === '1'}
    />
  )
}

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
