import { TextInput } from '@mantine/core'

type Parts = {
  readonly url: string
  readonly onChange: (url: string) => void
  readonly error: string | undefined
}

/** All that a stream for Okta needs; its layout, audience and address follow. */
export const OktaFields = ({ url, onChange, error }: Parts) => (
  <TextInput
    label="Address of your Okta organization"
    description="Such as https://acme.okta.com. Events are pushed there in the draft format, with this address as audience."
    type="url"
    value={url}
    maxLength={300}
    error={error}
    onChange={(event) => onChange(event.currentTarget.value)}
  />
)
