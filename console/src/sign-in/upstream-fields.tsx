import { Textarea, TextInput } from '@mantine/core'
import { CheckLine } from './check-line.tsx'
import { hasSignOut, type UpstreamInput, type UpstreamProduct } from './upstream-input.ts'

type Parts<Input> = {
  readonly provider: UpstreamProduct
  readonly value: Input
  readonly onChange: (value: Input) => void
  readonly faultOf: (field: string) => string | undefined
}

/** Whom an upstream may vouch for, and what people call it. */
export function UpstreamFields<Input extends UpstreamInput>({ provider, value, onChange, faultOf }: Parts<Input>) {
  const set = (change: Partial<UpstreamInput>) => onChange({ ...value, ...change })
  const isGoogle = provider === 'google'
  const isEntra = provider === 'entra'
  return (
    <>
      <TextInput
        label="Name"
        description="People read it while they sign in: “Sign in with Example ID”."
        value={value.name}
        maxLength={100}
        error={faultOf('name')}
        onChange={(event) => set({ name: event.currentTarget.value })}
      />
      {!isGoogle && (
        <TextInput
          label="Tenant claim (optional)"
          description="Where one issuer serves several customers: the claim of the ID token that names yours, such as tid."
          value={value.tenantClaim}
          maxLength={100}
          error={faultOf('tenant/claim')}
          onChange={(event) => set({ tenantClaim: event.currentTarget.value })}
        />
      )}
      {(isGoogle || value.tenantClaim.trim() !== '') && (
        <TextInput
          label={isGoogle ? 'Google Workspace domain' : 'Tenant'}
          description={
            isGoogle
              ? 'Google signs in everyone who has an account. Only accounts of this domain count.'
              : 'What the claim has to say, exactly.'
          }
          value={value.tenant}
          maxLength={253}
          error={faultOf('tenant') ?? faultOf('tenant/value')}
          onChange={(event) => set({ tenant: event.currentTarget.value })}
        />
      )}
      <Textarea
        label={isEntra ? 'Domains' : 'Domains (optional)'}
        description={`Addresses in other domains do not count. One on each line. ${
          isEntra
            ? 'Microsoft says of no address that it is verified.'
            : 'Without any, an address counts where the provider says that it is verified.'
        }`}
        placeholder="example.com"
        value={value.domains}
        rows={2}
        error={faultOf('email_domains') ?? faultOf('email_domains/0')}
        onChange={(event) => set({ domains: event.currentTarget.value })}
      />
      <CheckLine
        label="Add people at their first sign-in"
        isOn={value.createsPeople}
        error={faultOf('creates_people')}
        onChange={(createsPeople) => set({ createsPeople })}
      >
        Someone of these domains whom Muster does not know is added as a person. Off, they wait until you or SCIM add
        them.
      </CheckLine>
      {hasSignOut(provider) && (
        <CheckLine
          label="Sign people out there as well"
          isOn={value.signsOut}
          error={faultOf('signs_out')}
          onChange={(signsOut) => set({ signsOut })}
        >
          Someone who signs out of an application is signed out there first. Before you turn this on, register the
          sign-out address at the provider, so that it sends people back.
        </CheckLine>
      )}
    </>
  )
}
