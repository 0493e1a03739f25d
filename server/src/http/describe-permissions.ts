import { type AdminPower, adminPowers } from '@muster/contract/admin-powers.ts'
import { type Feature, features } from '@muster/contract/features.ts'
import { operations } from '@muster/contract/operations/all-operations.ts'
import { permissions } from '@muster/contract/permissions.ts'
import { consolePrefix } from './console-address.ts'

/** What an operation asks of its caller, as its definition declares it. */
export type Declared = {
  readonly operationId: string
  readonly method: string
  readonly path: string
  readonly summary: string
  readonly tag?: string | undefined
  /** Of keys. */
  readonly permission?: string | undefined
  /** Of administrators, where no key is let in. */
  readonly requires?: string | undefined
  readonly needsFreshProof?: true | undefined
  readonly inConsole?: {
    readonly power?: AdminPower | undefined
    readonly needsFreshProof?: true | { readonly toChange: string } | undefined
  }
  readonly isBeforeFactor?: true | undefined
  readonly isFromAnywhere?: true | undefined
  readonly feature?: Feature | undefined
}

export const declaredOperations: readonly Declared[] = Object.values(operations)

/** No key reaches it: it is a page's own. */
const isOfConsole = ({ permission, tag }: Declared): boolean => permission === undefined || tag === 'Console'

const sections: Readonly<Record<string, { readonly title: string; readonly description: string }>> = {
  public: { title: 'No sign-in', description: 'Anyone may call these.' },
  own_account: { title: 'Your own account', description: 'Any administrator, for themselves.' },
  read: { title: 'Reading', description: 'Any API key, and any administrator except with billing access only.' },
  ...permissions,
  ...adminPowers,
}

/** What a key, or an administrator, needs for an operation: the name of a section. */
export const needOfKey = ({ permission }: Declared): string => permission ?? 'none'
export const needOfAdministrator = ({ permission, requires, inConsole }: Declared): string =>
  inConsole?.power ?? requires ?? permission ?? 'public'

/** docs/permissions.md: what each permission allows, to keys and to administrators. */
export function permissionsMarkdown(declared: readonly Declared[] = declaredOperations): string {
  const parts = Object.entries(sections).map(([need, { title, description }]) => {
    const lines = declared.flatMap((one) => lineOf(one, need) ?? [])
    return lines.length === 0 ? '' : `## ${title}\n\n${description}\n\n${lines.toSorted().join('\n')}\n`
  })
  return `${head}\n${parts.filter((part) => part !== '').join('\n')}`
}

const head = `# Permissions

What each permission allows. API keys hold permissions; administrators with full access have all of them, and with limited
access those that are not restricted. Both can use the paths marked API: keys with \`Authorization: Bearer\`, administrators
through the console. The other paths belong to the console.

“Confirms identity” means that the console asks for a password or passkey if the last one was more than a few minutes ago.

This page is generated from the definitions of the operations.
`

function lineOf(one: Declared, need: string): string | undefined {
  const forKeys = !isOfConsole(one) && needOfKey(one) === need
  const forAdministrators = needOfAdministrator(one) === need
  if (!forKeys && !forAdministrators) return undefined
  const path = isOfConsole(one) ? `${consolePrefix}${one.path}` : one.path
  const notes = [
    isOfConsole(one) ? undefined : forAdministrators ? 'API' : 'API, keys only',
    !forKeys && !isOfConsole(one) ? 'administrators only' : undefined,
    one.feature && `feature ${features[one.feature].title}`,
    proofOf(one),
    one.isBeforeFactor && 'before the second factor is set up',
    one.isFromAnywhere && 'opened from another site',
  ].filter((note) => note !== undefined)
  return `- ${one.summary}: \`${one.method} ${path}\`${notes.length > 0 ? ` (${notes.join('; ')})` : ''}`
}

function proofOf({ needsFreshProof, inConsole }: Declared): string | undefined {
  const proof = needsFreshProof ?? inConsole?.needsFreshProof
  if (proof === undefined) return undefined
  return proof === true ? 'confirms identity' : `confirms identity to change \`${proof.toChange}\``
}
