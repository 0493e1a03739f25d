import type { SettingFacts } from '@muster/contract/console-settings.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { query } from '../api/query.ts'
import { useMay } from '../api/session.ts'
import { settingFactsQuery } from '../api/setting-facts.ts'
import { CodeBlock } from '../components/code-block.tsx'
import { GuideLink } from '../components/guide-link.tsx'
import { ListBody } from '../components/list-body.tsx'
import { Failure, SkeletonRows } from '../components/notices.tsx'
import { Block } from '../components/section-frame.tsx'
import { Mark } from '../components/state-shape.tsx'
import { UnreachableAddress } from '../components/unreachable-address.tsx'
import { AdministratorTable } from './administrator-table.tsx'
import { administratorsQuery } from './administrators-query.ts'
import { RequiredFactor } from './required-factor.tsx'
import { SettingsFrame } from './settings-frame.tsx'

export function SignInSettingsPage() {
  const facts = useQuery(settingFactsQuery)
  const mayManage = useMay('manage_administrators')
  return (
    <SettingsFrame title="Sign-in" lead="How administrators sign in." isWide>
      {facts.isError && (
        <Failure what="The settings could not be loaded." error={facts.error} onRetry={() => void facts.refetch()} />
      )}
      {facts.isPending && <SkeletonRows rows={4} />}
      {facts.data && (
        <>
          <Provider facts={facts.data} />
          {mayManage && <WithoutFactor total={facts.data.counts.administrators} />}
          <RequiredFactor facts={facts.data} />
          <Rules />
        </>
      )}
    </SettingsFrame>
  )
}

function Provider({ facts }: { facts: SettingFacts }) {
  const { identity_provider: provider, base_url: baseUrl } = facts
  if (provider) {
    return (
      <Block
        title="Identity provider"
        about="Administrators can sign in through it, and it is responsible for their second factor. Set by the server operator."
      >
        <dl className="facts-table">
          <dt>Called</dt>
          <dd>{provider.name}</dd>
          <dt>Issuer</dt>
          <dd>
            <code>{provider.issuer}</code>
          </dd>
          <dt>Redirect address</dt>
          <dd>
            <code>{provider.redirect_uri}</code>
          </dd>
          <dt>First sign-in</dt>
          <dd>
            <FirstSignIn />
          </dd>
        </dl>
        <UnreachableAddress address={provider.redirect_uri} reader={{ browserFrom: undefined }} />
      </Block>
    )
  }
  return (
    <Block
      title="Identity provider"
      about={
        <>
          None. The server operator can set an OpenID Connect provider: <code>MUSTER_OIDC_ISSUER</code>,{' '}
          <code>MUSTER_OIDC_CLIENT_ID</code>, <code>MUSTER_OIDC_CLIENT_SECRET</code>. Its client needs this redirect
          address:
        </>
      }
    >
      <CodeBlock text={`${baseUrl}/console/api/session/oidc/callback`} label="Redirect address" />
      <UnreachableAddress address={baseUrl} reader={{ browserFrom: undefined }} />
      <p className="secondary">
        <FirstSignIn />
      </p>
    </Block>
  )
}

const FirstSignIn = () => (
  <>
    The provider has to say that the e-mail address is verified. Entra: add the optional claim <code>xms_edov</code>.{' '}
    <GuideLink name="operating">Steps for Okta, Entra and Google</GuideLink>
  </>
)

function WithoutFactor({ total }: { total: number }) {
  const list = useQuery(administratorsQuery({ factor: 'missing' }))
  const missing = list.data?.data.length ?? 0
  const hasMore = (list.data?.pagination.next_cursor ?? '') !== ''
  const about =
    list.data === undefined
      ? undefined
      : missing === 0
        ? total === 1
          ? 'The only administrator has one.'
          : `All ${total} administrators have one.`
        : `${withoutInWords(missing, total, hasMore)} none: knowing their password is enough to sign in. Add a passkey or an app under Your account.`
  return (
    <Block
      title="Second factor"
      {...(about !== undefined && { about })}
      action={
        hasMore && (
          <Link className="underlined" to="/settings/admins" search={{ factor: 'missing' }}>
            All of them
          </Link>
        )
      }
    >
      {(missing > 0 || !list.isSuccess) && (
        <ListBody list={list} name="Administrators" empty={null} isInset>
          {(rows) => <AdministratorTable rows={rows} />}
        </ListBody>
      )}
    </Block>
  )
}

function withoutInWords(missing: number, total: number, hasMore: boolean): string {
  if (total === 1) return 'The only administrator has'
  return `${hasMore ? `More than ${missing}` : missing} of ${total} ${missing === 1 ? 'has' : 'have'}`
}

function Rules() {
  const options = useQuery(query('getSignInOptions'))
  const rules: readonly (readonly [boolean, string])[] = [
    [true, 'A password has 12 or more characters. Length matters, not symbols.'],
    [
      options.data?.passkeys !== false,
      options.data?.passkeys === false
        ? 'Passkeys are not possible at this address: they need a host name.'
        : 'A passkey signs in on its own and counts as a second factor.',
    ],
    [true, 'A session ends after 30 minutes without a request, and 12 hours after it began.'],
    [true, 'Viewing secrets and changing access require confirmation in the last 5 minutes.'],
    [true, 'After five failed attempts, each one doubles the wait, from one second to 15 minutes.'],
    [true, 'A one-time link works once, for 24 hours.'],
  ]
  return (
    <Block title="Rules" about="These apply to everyone and cannot be relaxed.">
      <ul className="lines">
        {rules.map(([isSo, text]) => (
          <li key={text} className="line">
            <Mark name={isSo ? 'tick' : 'dash'} />
            <span className="wrap">{text}</span>
          </li>
        ))}
      </ul>
    </Block>
  )
}
