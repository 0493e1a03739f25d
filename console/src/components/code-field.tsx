import { TextInput } from '@mantine/core'

/** For the second factor, once it is asked for. */
export const CodeField = () => (
  <TextInput
    name="code"
    label="Code"
    description="From your authenticator app, or a recovery code."
    autoComplete="one-time-code"
    autoFocus
  />
)
