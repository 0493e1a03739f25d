import type { AdminUser } from '@muster/contract/admin-users.ts'
import type { SignInState } from '@muster/contract/console.ts'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { api } from '../api/api.ts'
import { queryKeyOf } from '../api/query.ts'
import { useSession } from '../api/session.ts'
import { RecordEntries } from '../audit/record-entries.tsx'
import { RecordNotices } from '../components/record-page.tsx'
import { Block } from '../components/section-frame.tsx'
import { visibleText } from '../components/visible-text.ts'
import { AdministratorAccess } from './administrator-access.tsx'
import { AdministratorRemoval } from './administrator-removal.tsx'
import { AdministratorSessions } from './administrator-sessions.tsx'
import { AdministratorSignIn } from './administrator-sign-in.tsx'
import { nameOf } from './administrator-table.tsx'
import { SettingsFrame } from './settings-frame.tsx'

const route = getRouteApi('/shell/settings/admins/$administratorId')

const administratorQuery = (id: string) =>
  queryOptions({
    queryKey: [...queryKeyOf('getAdministratorSignIn', { params: { id } }), 'with the record'],
    queryFn: async ({ signal }) => {
      const [admin, state] = await Promise.all([
        api('getAdminUser', { params: { id }, signal }),
        api('getAdministratorSignIn', { params: { id }, signal }),
      ])
      return { admin, state }
    },
  })

export function AdministratorPage() {
  const { administratorId } = route.useParams()
  const session = useSession()
  const mayManage = session?.permissions.includes('manage_administrators') ?? false
  const found = useQuery({ ...administratorQuery(administratorId), enabled: mayManage })
  const title = found.data ? nameOf(found.data.admin) : 'Administrator'
  return (
    <SettingsFrame
      key={administratorId}
      title={title}
      listedIn="Administrators"
      lead={found.data && visibleText(found.data.admin.email)}
      power="manage_administrators"
      isWide
    >
      <RecordNotices
        record={found}
        noun="administrator"
        id={administratorId}
        why={
          <>
            They may have been removed.{' '}
            <Link className="underlined" to="/settings/admins">
              All administrators
            </Link>
          </>
        }
      />
      {found.data && <Loaded {...found.data} isSelf={session?.administrator.id === administratorId} />}
    </SettingsFrame>
  )
}

type Parts = { readonly admin: AdminUser; readonly state: SignInState; readonly isSelf: boolean }

function Loaded({ admin, state, isSelf }: Parts) {
  return (
    <>
      <AdministratorAccess admin={admin} />
      <AdministratorSignIn admin={admin} state={state} isSelf={isSelf} />
      <AdministratorSessions admin={admin} sessions={state.sessions} />
      <Block
        title="In the audit log"
        about="The latest entries about this administrator."
        action={
          <Link className="underlined" to="/audit" search={{ about: `administrator:${admin.id}` }}>
            All of them
          </Link>
        }
      >
        <RecordEntries kind="administrator" id={admin.id} name={`${admin.first_name} ${admin.last_name}`.trim()} />
      </Block>
      <AdministratorRemoval admin={admin} isSelf={isSelf} />
    </>
  )
}
