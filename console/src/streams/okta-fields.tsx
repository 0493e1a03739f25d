import { TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { settingFactsQuery } from '../api/setting-facts.ts'
import { UnreachableAddress } from '../components/unreachable-address.tsx'

type Parts = {
  readonly url: string
  readonly onChange: (url: string) => void
  readonly error: string | undefined
}

const okta = { service: 'Okta' }

/** All that a stream for Okta needs; its layout, audience and address follow. */
export function OktaFields({ url, onChange, error }: Parts) {
  const { data: facts } = useQuery(settingFactsQuery)
  return (
    <>
      <UnreachableAddress address={facts?.base_url} reader={okta} />
      <TextInput
        label="Address of your Okta organization"
        description="Such as https://acme.okta.com. Events are pushed there in the draft format, with this address as audience."
        type="url"
        value={url}
        maxLength={300}
        error={error}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    </>
  )
}
