import { Button, Modal } from '@mantine/core'
import type { NewScimToken, ScimTokenView } from '@muster/contract/console-settings.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../api/api.ts'
import { query } from '../api/query.ts'
import { useMay, useSession } from '../api/session.ts'
import { CodeBlock } from '../components/code-block.tsx'
import { ListBody } from '../components/list-body.tsx'
import { NameForm } from '../components/name-form.tsx'
import { NewSecretDialog } from '../components/new-secret-dialog.tsx'
import { Emptiness } from '../components/notices.tsx'
import { Block } from '../components/section-frame.tsx'
import { UnreachableAddress } from '../components/unreachable-address.tsx'
import { useAction } from '../components/use-action.ts'
import { ScimTokenTable } from './scim-token-table.tsx'
import { SettingsFrame } from './settings-frame.tsx'

const baseUrl = `${location.origin}/scim/v2`

export function ScimPage() {
  const session = useSession()
  const isOff = session?.disabled_features.includes('scim') ?? false
  return (
    <SettingsFrame
      title="SCIM"
      lead="Your identity provider creates, updates and removes people and groups automatically."
      isWide
    >
      {isOff && (
        <p className="note scim-off">
          SCIM is off for this organization, so tokens are refused. The server operator turns it on with{' '}
          <code>muster organizations set-feature scim --on</code>.
        </p>
      )}
      <Block title="Address" about="Okta: SCIM connector base URL, with HTTP Header as authentication mode.">
        <UnreachableAddress address={baseUrl} reader={{ service: 'An identity provider on the internet' }} />
        <CodeBlock text={baseUrl} label="Base URL" />
      </Block>
      <Block
        title="Address for Microsoft Entra"
        about="Tenant URL; the token is its Secret Token. The flag makes Entra follow the standard."
      >
        <CodeBlock text={`${baseUrl}?aadOptscim062020`} label="Tenant URL" />
      </Block>
      <Tokens isOff={isOff} />
    </SettingsFrame>
  )
}

const route = getRouteApi('/shell/settings/scim')

function Tokens({ isOff }: { isOff: boolean }) {
  const { after } = route.useSearch()
  const navigate = route.useNavigate()
  const mayChange = useMay('manage_settings')
  const [isMaking, setIsMaking] = useState(false)
  const [made, setMade] = useState<NewScimToken | undefined>()
  const list = useQuery(query('listScimTokenViews', { query: { per_page: 25, cursor: after } }))
  return (
    <Block
      title="Tokens"
      about="A token can create, change and deprovision people. Create one for each identity provider."
      action={mayChange && !isOff && <Button onClick={() => setIsMaking(true)}>New token…</Button>}
    >
      <ListBody<ScimTokenView>
        list={list}
        name="SCIM tokens"
        empty={
          <Emptiness title="No tokens yet." guide="scim">
            No identity provider can connect.
          </Emptiness>
        }
        after={after}
        onNext={(next) => void navigate({ search: { after: next } })}
        isInset
      >
        {(rows) => <ScimTokenTable rows={rows} mayChange={mayChange} isOff={isOff} onRotated={setMade} />}
      </ListBody>
      <Modal opened={isMaking} onClose={() => setIsMaking(false)} title="Create a SCIM token" withCloseButton={false}>
        {isMaking && (
          <TokenForm
            onClose={() => setIsMaking(false)}
            onMade={(token) => {
              setIsMaking(false)
              setMade(token)
            }}
          />
        )}
      </Modal>
      <NewSecretDialog
        title="Save this token"
        label="SCIM token"
        secret={made?.token}
        after="Enter it in your identity provider as the bearer token. It is not shown again."
        onClose={() => setMade(undefined)}
      />
    </Block>
  )
}

function TokenForm({ onClose, onMade }: { onClose: () => void; onMade: (token: NewScimToken) => void }) {
  const make = useAction({
    act: (name: string) => api('createScimToken', { body: { name } }),
    refresh: ['settings'],
    onDone: onMade,
    hasForm: true,
  })
  return (
    <NameForm
      about="Recorded with every change in the audit log, for example “Okta” or “Entra ID”."
      maxLength={200}
      verb="Create token"
      action={make}
      onClose={onClose}
    />
  )
}
