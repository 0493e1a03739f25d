import type { CheckConfiguration } from '@muster/contract/check-configurations.ts'
import type { CheckFacts } from '@muster/contract/console-checks.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useSession } from '../../api/session.ts'
import { MissingPermission } from '../../components/missing-permission.tsx'
import { Failure, SkeletonRows } from '../../components/notices.tsx'
import { checkFactsQuery, configurationQuery } from '../check-queries.ts'
import { ConfigurationEditor } from './configuration-editor.tsx'
import type { Definitions } from './draft.ts'
import './configuration.css'

const route = getRouteApi('/shell/checks/$checkId/configuration')

export function ConfigurationTab() {
  const { checkId } = route.useParams()
  const { resume } = route.useSearch()
  const session = useSession()
  const facts = useQuery(checkFactsQuery(checkId))
  const saved = useQuery(configurationQuery(checkId))
  if (!session?.permissions.includes('configure_checks')) {
    return (
      <div className="tab-body">
        <MissingPermission power="configure_checks" />
      </div>
    )
  }
  if (saved.isError && !saved.data) {
    return (
      <Failure what="The configuration could not be loaded." error={saved.error} onRetry={() => void saved.refetch()} />
    )
  }
  if (!saved.data || !facts.data) return <SkeletonRows rows={8} />
  return <Editor key={checkId} facts={facts.data} saved={saved.data} isResuming={resume === '1'} />
}

type Parts = { readonly facts: CheckFacts; readonly saved: CheckConfiguration; readonly isResuming: boolean }

function Editor({ facts, saved, isResuming }: Parts) {
  // Written by the server, which alone reads it otherwise.
  const definitions = JSON.parse(facts.option_definitions) as Definitions
  return <ConfigurationEditor facts={facts} saved={saved} definitions={definitions} isResuming={isResuming} />
}
