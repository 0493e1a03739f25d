type Taker = { kind: 'second_step' | 'application' | 'entra'; mode: 'enforce' | 'observe' | 'disabled' }

/** Why a connection takes no code from IT; undefined where it does. */
export function whyNoCode({ kind, mode }: Taker): string | undefined {
  if (kind === 'entra') {
    return 'Microsoft Entra takes no codes: it asks for a proof of the device, and a code is none. Exclude the person in its policy.'
  }
  return mode === 'disabled' ? 'It is disabled: it refuses everyone, with a code too.' : undefined
}
