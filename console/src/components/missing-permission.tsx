import { type AdminPower, adminPowers } from '@muster/contract/admin-powers.ts'
import { permissions } from '@muster/contract/permissions.ts'
import { Emptiness } from './notices.tsx'

/** A page that was reached by its address by someone who may not use it. */
export const MissingPermission = ({ power }: { power: AdminPower }) => (
  <Emptiness title="You don’t have access to this." guide="permissions">
    You need the permission “{{ ...permissions, ...adminPowers }[power].title}”. An administrator with full access can
    grant it under Settings, Administrators.
  </Emptiness>
)
