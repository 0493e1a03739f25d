import { type AdminPower, adminPowers } from '@muster/contract/admin-powers.ts'
import { permissions } from '@muster/contract/permissions.ts'
import { Emptiness } from './notices.tsx'

/** A page that was reached by its address by someone who may not use it. */
export const MissingPermission = ({ power }: { power: AdminPower }) => (
  <Emptiness title="You don’t have access to this." guide="permissions">
    {onlyWithFullAccess[power] ?? (
      <>
        You need the permission “{{ ...permissions, ...adminPowers }[power].title}”. An administrator with full access
        can grant it under Settings, Administrators.
      </>
    )}
  </Emptiness>
)

/** What nobody can grant. */
const onlyWithFullAccess: Partial<Record<AdminPower, string>> = {
  manage_keys: 'Only administrators with full access manage API keys.',
  reveal_keys: 'Only administrators with full access reveal API keys.',
  manage_administrators: 'Only administrators with full access manage administrators.',
}
