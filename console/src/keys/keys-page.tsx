import { Button } from '@mantine/core'
import type { ConsoleApiKey } from '@muster/contract/console.ts'
import { permissions } from '@muster/contract/permissions.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useMay } from '../api/session.ts'
import { CursorPaging } from '../components/cursor-paging.tsx'
import { Icon } from '../components/icon.tsx'
import { MissingPermission } from '../components/missing-permission.tsx'
import { Emptiness, Failure, SkeletonRows } from '../components/notices.tsx'
import { RelativeTime, useNow } from '../components/relative-time.tsx'
import { RowMenu, RowMenuHead } from '../components/row-menu.tsx'
import { Scroller } from '../components/scroller.tsx'
import { Mark } from '../components/state-shape.tsx'
import { VerbItems } from '../components/verbs.tsx'
import { visibleText } from '../components/visible-text.ts'
import { Page } from '../shell/page.tsx'
import '../developers/developers.css'
import { Expiry } from './expiry.tsx'
import { keysQuery } from './key-queries.ts'
import { grantedTo, unusedBy } from './unused.ts'
import { useRevoking } from './use-revoking.tsx'

const route = getRouteApi('/shell/settings/developers/keys')

export function KeysPage() {
  const may = useMay('manage_keys')
  return (
    <Page
      title="API keys"
      actions={
        may && (
          <Button
            component={Link}
            to="/settings/developers/keys/new"
            variant="filled"
            leftSection={<Icon name="plus" size={14} />}
          >
            Create new key
          </Button>
        )
      }
    >
      <div className="page">{may ? <Keys /> : <MissingPermission power="manage_keys" />}</div>
    </Page>
  )
}

function Keys() {
  const { after, review } = route.useSearch()
  const navigate = route.useNavigate()
  const keys = useQuery(keysQuery(after, review))
  const rows = keys.data?.data ?? []
  return (
    <>
      {keys.data && keys.data.to_review > 0 && (
        <ReviewNote count={keys.data.to_review} isFiltered={review === 'true'} />
      )}
      {keys.isError && (
        <Failure what="API keys could not be loaded." error={keys.error} onRetry={() => void keys.refetch()} />
      )}
      {keys.isPending && <SkeletonRows rows={4} />}
      {keys.data && rows.length === 0 && (
        <Emptiness title="No API keys yet.">
          Programs call the API with a key. Every permission beyond reading is granted one at a time, with a reason.
        </Emptiness>
      )}
      {rows.length > 0 && (
        <Scroller isList name="API keys">
          <table className="t record-table">
            <thead>
              <tr>
                <th>Key</th>
                <th className="w-owner">Responsible</th>
                <th>May do</th>
                <th className="num w-seen">Last used</th>
                <th className="num w-seen">Expires</th>
                <th className="num w-seen">Created</th>
                <RowMenuHead />
              </tr>
            </thead>
            <tbody>
              {rows.map((key) => (
                <KeyRow key={key.id} apiKey={key} />
              ))}
            </tbody>
          </table>
        </Scroller>
      )}
      {keys.data && (
        <CursorPaging
          current={after ?? ''}
          next={keys.data.next_after_id ?? ''}
          shown={rows.length}
          onNext={(next) => void navigate({ search: { ...(review && { review }), after: next } })}
        />
      )}
    </>
  )
}

function KeyRow({ apiKey }: { apiKey: ConsoleApiKey }) {
  const unused = unusedBy(apiKey, useNow())
  const titles = grantedTo(apiKey).map((name) => permissions[name].title)
  const name = visibleText(apiKey.name)
  return (
    <tr className="tall">
      <td className="c-name">
        <Link
          to="/settings/developers/keys/$keyId"
          params={{ keyId: apiKey.id }}
          className="m ell"
          title={name}
          data-row-link
        >
          {name}
        </Link>
        {apiKey.needs_review_since !== null && (
          <div className="sm t2 delivery">
            <Mark name="warning" />
            To review
          </div>
        )}
        {unused.length > 0 && (
          <div className="sm t2 delivery">
            <Mark name="warning" />
            {unused.length === 1 ? '1 permission unused' : `${unused.length} permissions unused`}
          </div>
        )}
      </td>
      <td className="c-lead t2" title={visibleText(apiKey.responsible_administrator)}>
        {visibleText(apiKey.responsible_administrator)}
      </td>
      <td className="c-sub t2" title={titles.join(', ')}>
        {titles.length === 0 ? 'Read only' : titles.join(', ')}
      </td>
      <td className="c-time num t2">
        <RelativeTime time={apiKey.last_used_at} missing="never" />
      </td>
      <td className="c-more num t2">
        <Expiry apiKey={apiKey} />
      </td>
      <td className="c-more num t2">
        <RelativeTime time={apiKey.created_at} />
      </td>
      <td className="c-menu">
        <RowMenu name={name}>{(menu) => <KeyMenu apiKey={apiKey} menu={menu} />}</RowMenu>
      </td>
    </tr>
  )
}

function ReviewNote({ count, isFiltered }: { count: number; isFiltered: boolean }) {
  return (
    <div className="note will">
      <Mark name="warning" />
      <span className="grow">
        {count === 1 ? '1 key was' : `${count} keys were`} created or changed by an administrator without full access,
        before that was required. Review {count === 1 ? 'it' : 'each'}: keep it, or revoke it.
      </span>
      <Link className="u" to="/settings/developers/keys" search={isFiltered ? {} : { review: 'true' }}>
        {isFiltered ? 'Show all keys' : 'Show what to review'}
      </Link>
    </div>
  )
}

const nothingMore = () => undefined

function KeyMenu({ apiKey, menu }: { apiKey: ConsoleApiKey; menu: (items: ReactNode) => ReactNode }) {
  const { revoke, dialogs } = useRevoking(apiKey, nothingMore)
  return (
    <>
      {menu(<VerbItems verbs={[revoke]} />)}
      {dialogs}
    </>
  )
}
