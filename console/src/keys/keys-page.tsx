import { Button } from '@mantine/core'
import type { ConsoleApiKey } from '@muster/contract/console.ts'
import { permissions } from '@muster/contract/permissions.ts'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { query } from '../api/query.ts'
import { useMay } from '../api/session.ts'
import { Icon } from '../components/icon.tsx'
import { ListPage } from '../components/list-page.tsx'
import { Emptiness } from '../components/notices.tsx'
import { given, readAfter, readChoice } from '../components/read-filters.ts'
import { type Column, Records } from '../components/records.tsx'
import { RelativeTime, useNow } from '../components/relative-time.tsx'
import { menuColumn } from '../components/row-menu.tsx'
import { Mark } from '../components/state-shape.tsx'
import { VerbItems } from '../components/verbs.tsx'
import { visibleText } from '../components/visible-text.ts'
import '../developers/developers.css'
import { Expiry } from './expiry.tsx'
import { KeyToken } from './key-token.tsx'
import { grantedTo, unusedBy } from './unused.ts'
import { useRevoking } from './use-revoking.tsx'

const route = getRouteApi('/shell/settings/developers/keys')

type Filters = { readonly review?: 'true'; readonly after?: string }

const readFilters = (raw: Readonly<Record<string, unknown>>): Filters =>
  given({ review: readChoice(raw, 'review', ['true'] as const), ...readAfter(raw) })

export function KeysPage() {
  const may = useMay('manage_keys')
  const filters = readFilters(route.useSearch())
  const navigate = route.useNavigate()
  const asked = { query: { after_id: filters.after, to_review: filters.review } }
  const keys = useQuery({
    ...query('listApiKeys', asked, { enabled: may, placeholderData: keepPreviousData, pace: 'usual' }),
    select: (page) => ({ ...page, pagination: { next_cursor: page.next_after_id ?? '' } }),
  })
  const toReview = keys.data?.to_review ?? 0
  return (
    <ListPage
      title="API keys"
      name="API keys"
      nouns={['API key', 'API keys']}
      {...(!may && { lacks: 'manage_keys' })}
      actions={may && <NewKey />}
      list={keys}
      filters={filters}
      read={readFilters}
      inWords={({ review }) => (review ? 'Keys to review.' : '')}
      onShow={(search) => void navigate({ search })}
      above={toReview > 0 && <ReviewNote count={toReview} isFiltered={filters.review === 'true'} />}
      empty={
        <Emptiness title="No API keys yet.">
          Programs call the API with a key. Every permission beyond reading is granted one at a time, with a reason.
        </Emptiness>
      }
    >
      {(rows) => <Records isTall rows={rows} columns={columns} />}
    </ListPage>
  )
}

const NewKey = () => (
  <Button
    component={Link}
    to="/settings/developers/keys/new"
    variant="filled"
    leftSection={<Icon name="plus" size={14} />}
  >
    Create new key
  </Button>
)

const titlesOf = (apiKey: ConsoleApiKey) => grantedTo(apiKey).map((name) => permissions[name].title)

const columns: readonly Column<ConsoleApiKey>[] = [
  { text: 'Key', className: 'c-name', cell: (apiKey) => <KeyName apiKey={apiKey} /> },
  { text: 'Token', head: 'w-240', className: 'c-token', cell: (apiKey) => <KeyToken apiKey={apiKey} /> },
  {
    text: 'Responsible',
    head: 'w-owner',
    className: 'c-lead secondary',
    title: (apiKey) => visibleText(apiKey.responsible_administrator),
    cell: (apiKey) => visibleText(apiKey.responsible_administrator),
  },
  {
    text: 'May do',
    className: 'c-sub secondary',
    title: (apiKey) => titlesOf(apiKey).join(', '),
    cell: (apiKey) => titlesOf(apiKey).join(', ') || 'Read only',
  },
  {
    text: 'Last used',
    head: 'numeric w-seen',
    className: 'c-time numeric secondary',
    cell: ({ last_used_at: at }) => <RelativeTime time={at} missing="never" />,
  },
  {
    text: 'Expires',
    head: 'numeric w-seen',
    className: 'c-more numeric secondary',
    cell: (apiKey) => <Expiry apiKey={apiKey} />,
  },
  {
    text: 'Created',
    head: 'numeric w-seen',
    className: 'c-more numeric secondary',
    cell: ({ created_at: at }) => <RelativeTime time={at} />,
  },
  menuColumn({
    nameOf: ({ name }) => visibleText(name),
    menuOf: (apiKey) => (menu) => <KeyMenu apiKey={apiKey} menu={menu} />,
  }),
]

function KeyName({ apiKey }: { apiKey: ConsoleApiKey }) {
  const unused = unusedBy(apiKey, useNow())
  const name = visibleText(apiKey.name)
  return (
    <>
      <Link
        to="/settings/developers/keys/$keyId"
        params={{ keyId: apiKey.id }}
        className="medium ellipsis"
        title={name}
        data-row-link
      >
        {name}
      </Link>
      {apiKey.needs_review_since !== null && (
        <div className="small secondary delivery">
          <Mark name="warning" />
          To review
        </div>
      )}
      {unused.length > 0 && (
        <div className="small secondary delivery">
          <Mark name="warning" />
          {unused.length === 1 ? '1 permission unused' : `${unused.length} permissions unused`}
        </div>
      )}
    </>
  )
}

function ReviewNote({ count, isFiltered }: { count: number; isFiltered: boolean }) {
  return (
    <div className="note will list-note">
      <Mark name="warning" />
      <span className="grow">
        {count === 1 ? '1 key was' : `${count} keys were`} created or changed by an administrator without full access,
        before that was required. Review {count === 1 ? 'it' : 'each'}: keep it, or revoke it.
      </span>
      <Link className="underlined" to="/settings/developers/keys" search={isFiltered ? {} : { review: 'true' }}>
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
