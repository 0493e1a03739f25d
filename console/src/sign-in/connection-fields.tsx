import { NumberInput, Textarea, TextInput } from '@mantine/core'
import { CheckLine } from './check-line.tsx'
import { type ConnectionInput, mayTurnPkceOff } from './connection-input.ts'
import { GroupsField } from './groups-field.tsx'
import { RequestKeysField } from './request-keys-field.tsx'
import { UpstreamField } from './upstream-field.tsx'

type Parts<Input> = {
  readonly value: Input
  readonly onChange: (value: Input) => void
  readonly faultOf: (field: string) => string | undefined
  /** Where the redirect address is found at the other side, and what it looks like. */
  readonly redirect: { readonly hint: string; readonly example: string }
  /** Where its keys come from, and what follows from them. */
  readonly aboutKeys: string
}

/** What can be chosen of a connection, made or changed. */
export function ConnectionFields<Input extends ConnectionInput>({
  value,
  onChange,
  faultOf,
  redirect,
  aboutKeys,
}: Parts<Input>) {
  const set = (change: Partial<ConnectionInput>) => onChange({ ...value, ...change })
  return (
    <>
      <TextInput
        label="Name"
        description="People read it while they sign in: “Open Payroll”."
        value={value.name}
        maxLength={200}
        error={faultOf('name')}
        onChange={(event) => set({ name: event.currentTarget.value })}
      />
      {value.kind !== 'entra' && (
        <Textarea
          label="Redirect addresses"
          description={`${redirect.hint} One on each line.`}
          placeholder={redirect.example}
          value={value.redirectUris}
          rows={2}
          error={faultOf('redirect_uris') ?? faultOf('redirect_uris/0')}
          onChange={(event) => set({ redirectUris: event.currentTarget.value })}
        />
      )}
      {value.kind !== 'entra' && (
        <Textarea
          label="Sign-out addresses (optional)"
          description="Where people go after the application has signed them out (post-logout redirect URIs). One on each line."
          placeholder="https://payroll.example.com/signed-out"
          value={value.postLogoutUris}
          rows={2}
          error={faultOf('post_logout_redirect_uris') ?? faultOf('post_logout_redirect_uris/0')}
          onChange={(event) => set({ postLogoutUris: event.currentTarget.value })}
        />
      )}
      {value.kind === 'application' && (
        <UpstreamField
          value={value.upstreamId}
          error={faultOf('upstream_id')}
          onChange={(upstreamId) => set({ upstreamId })}
        />
      )}
      {value.kind === 'application' && (
        <GroupsField value={value.groups} error={faultOf('group_ids')} onChange={(groups) => set({ groups })} />
      )}
      {value.kind !== 'entra' && (
        <RequestKeysField
          value={value.requestKeys}
          isOptional={value.kind === 'application'}
          about={aboutKeys}
          error={faultOf('request_keys') ?? faultOf('request_keys/keys') ?? faultOf('request_keys_url')}
          onChange={(requestKeys) => set({ requestKeys })}
        />
      )}
      {mayTurnPkceOff(value) && (
        <CheckLine
          label="Require PKCE"
          isOn={value.requiresPkce}
          error={faultOf('requires_pkce')}
          onChange={(requiresPkce) => set({ requiresPkce })}
        >
          Each request has to come with PKCE (S256). Turn it off only for an application that has none.
        </CheckLine>
      )}
      {mayTurnPkceOff(value) && !value.requiresPkce && (
        <p className="note will" role="status">
          Without PKCE, each request has to come with a nonce.
        </p>
      )}
      <CheckLine
        label="Browsers are managed"
        isOn={value.isBrowserManaged}
        onChange={(isBrowserManaged) => set({ isBrowserManaged })}
      >
        A policy lets this page reach the Muster app, so it does not explain the browser’s question first.
      </CheckLine>
      <TextInput
        label="Start address (optional)"
        description="Where “Open it again” leads when the caller has stopped waiting."
        type="url"
        value={value.startUrl}
        maxLength={2_000}
        error={faultOf('start_url')}
        onChange={(event) => set({ startUrl: event.currentTarget.value })}
      />
      <NumberInput
        label="The caller waits"
        description="In minutes, 1 to 30. Its page stops promising a way back after this."
        value={value.waitMinutes}
        min={1}
        max={30}
        allowDecimal={false}
        classNames={{ wrapper: 'short-input' }}
        error={faultOf('wait_seconds')}
        onChange={(minutes) => set({ waitMinutes: Number(minutes) })}
      />
    </>
  )
}
