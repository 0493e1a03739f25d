import type { SignInUpstreamView } from '@muster/contract/console-upstreams.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import type { FormEvent } from 'react'
import { api } from '../api/api.ts'
import { useMay } from '../api/session.ts'
import { CodeBlock } from '../components/code-block.tsx'
import { FormFault } from '../components/form-fault.tsx'
import { MissingPermission } from '../components/missing-permission.tsx'
import { Emptiness, LoadFailure, SkeletonRows } from '../components/notices.tsx'
import { Page } from '../components/page.tsx'
import { UnreachableAddress } from '../components/unreachable-address.tsx'
import { useAction } from '../components/use-action.ts'
import { visibleText } from '../components/visible-text.ts'
import { ChangedMeanwhile } from '../developers/changed-meanwhile.tsx'
import '../developers/developers.css'
import { FormSaveBar } from '../developers/form-save-bar.tsx'
import { useInput } from '../developers/use-input.ts'
import './sign-in.css'
import { upstreamsQuery } from './connection-queries.ts'
import { SignOutAddress } from './sign-out-address.tsx'
import { UpstreamActions } from './upstream-actions.tsx'
import { UpstreamFields } from './upstream-fields.tsx'
import {
  hasSignOut,
  productWords,
  upstreamBodyOf,
  upstreamChangesInWords,
  upstreamInputOf,
  upstreamLabels,
  upstreamShownOf,
  upstreamsCrumb,
} from './upstream-input.ts'

const route = getRouteApi('/shell/connections/upstreams/$upstreamId')

export function UpstreamPage() {
  const { upstreamId } = route.useParams()
  const upstreams = useQuery(upstreamsQuery)
  const may = useMay('manage_sign_in')
  const upstream = upstreams.data?.data.find(({ id }) => id === upstreamId)
  const title = upstream ? visibleText(upstream.name) : 'Identity provider'
  return (
    <Page title={title} crumb={upstreamsCrumb} actions={upstream && may && <UpstreamActions upstream={upstream} />}>
      <div className="page form-page">
        <LoadFailure what="The identity providers" query={upstreams} />
        {upstreams.isPending && <SkeletonRows rows={4} />}
        {upstreams.data && !upstream && (
          <Emptiness title={`There is no identity provider ${upstreamId}.`}>
            It may have been deleted.{' '}
            <Link className="underlined" to="/connections/upstreams">
              All identity providers
            </Link>
          </Emptiness>
        )}
        {upstream && <Facts upstream={upstream} />}
        {upstream &&
          (may ? <SettingsForm key={upstreamId} upstream={upstream} /> : <MissingPermission power="manage_sign_in" />)}
      </div>
    </Page>
  )
}

const Facts = ({ upstream }: { upstream: SignInUpstreamView }) => (
  <section className="form-section">
    <dl className="fact-row">
      <div>
        <dt>Product</dt>
        <dd>{productWords[upstream.provider]}</dd>
      </div>
      <div>
        <dt>Issuer</dt>
        <dd className="breaks">{visibleText(upstream.issuer)}</dd>
      </div>
      <div>
        <dt>Client ID</dt>
        <dd className="breaks">{visibleText(upstream.client_id)}</dd>
      </div>
    </dl>
    {upstream.redirect_uri !== null && (
      <>
        <p className="small secondary">The redirect address to enter there, exactly:</p>
        <CodeBlock text={upstream.redirect_uri} label="Redirect address" />
        <UnreachableAddress address={upstream.redirect_uri} reader={{ browserFrom: productWords[upstream.provider] }} />
      </>
    )}
    {upstream.post_logout_redirect_uri !== null && hasSignOut(upstream.provider) && (
      <SignOutAddress address={upstream.post_logout_redirect_uri} />
    )}
  </section>
)

function SettingsForm({ upstream }: { upstream: SignInUpstreamView }) {
  const client = useQueryClient()
  const { base: before, input, setInput, others, begin, takeTheirs } = useInput(upstreamInputOf(upstream))
  const save = useAction({
    act: async () => {
      const body = upstreamBodyOf(upstream.provider, input)
      await api('changeSignInUpstream', { params: { id: upstream.id }, body })
      const { data } = await client.fetchQuery({ ...upstreamsQuery, staleTime: 0 })
      return data.find(({ id }) => id === upstream.id) ?? upstream
    },
    refresh: ['listSignInUpstreams', 'audit'],
    hasForm: true,
    said: () => 'Identity provider saved',
    onDone: (changed) => begin(upstreamInputOf(changed)),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <form className="form-section" onSubmit={submit} noValidate>
      <UpstreamFields provider={upstream.provider} value={input} onChange={setInput} faultOf={save.faultOf} />
      <ChangedMeanwhile
        others={others}
        labels={upstreamLabels}
        theirs={before}
        yours={input}
        shownOf={upstreamShownOf}
        onTakeTheirs={takeTheirs}
      />
      <FormFault error={save.faultBeside} />
      <FormSaveBar
        changes={upstreamChangesInWords(before, input)}
        consequence="The next sign-in is judged this way."
        verb="Save changes"
        isBusy={save.isPending}
        onDiscard={() => begin(before)}
      />
    </form>
  )
}
