import { PasswordInput, type PasswordInputProps } from '@mantine/core'

type Parts = Omit<PasswordInputProps, 'label'> & { readonly label: string }

/** Mantine's, which tells screen readers neither that it is wrong nor what its button does. */
export const PasswordField = ({ label, error, ...parts }: Parts) => (
  <PasswordInput
    label={label}
    withAsterisk={false}
    error={error}
    {...(error !== undefined && { 'aria-invalid': true })}
    visibilityToggleButtonProps={{ 'aria-label': `Show the ${label.toLowerCase()}` }}
    {...parts}
  />
)
