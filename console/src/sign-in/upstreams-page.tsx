import { Button } from '@mantine/core'
import type { SignInUpstreamView } from '@muster/contract/console-upstreams.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useMay } from '../api/session.ts'
import { Icon } from '../components/icon.tsx'
import { ListPage } from '../components/list-page.tsx'
import { Emptiness } from '../components/notices.tsx'
import { type Column, Records } from '../components/records.tsx'
import { RelativeTime } from '../components/relative-time.tsx'
import { visibleText } from '../components/visible-text.ts'
import '../developers/developers.css'
import './sign-in.css'
import { upstreamsQuery } from './connection-queries.ts'
import { SignInTabs } from './connection-tabs.tsx'
import { productWords } from './upstream-input.ts'

export function UpstreamsPage() {
  const may = useMay('manage_sign_in')
  return (
    <ListPage
      title="Sign-in"
      name="Identity providers"
      nouns={['identity provider', 'identity providers']}
      tabs={<SignInTabs />}
      actions={
        may && (
          <Button
            component={Link}
            to="/connections/upstreams/new"
            variant="filled"
            leftSection={<Icon name="plus" size={14} />}
          >
            Add identity provider
          </Button>
        )
      }
      list={useQuery(upstreamsQuery)}
      filters={{}}
      read={() => ({})}
      inWords={() => ''}
      empty={
        <Emptiness title="No identity providers yet." guide="sign-in">
          Identity providers that sign people in before Muster checks their computer appear here.
        </Emptiness>
      }
    >
      {(rows) => <Records rows={rows} columns={columns} />}
    </ListPage>
  )
}

const columns: readonly Column<SignInUpstreamView>[] = [
  {
    text: 'Identity provider',
    className: 'c-name',
    cell: ({ id, name }) => (
      <Link
        to="/connections/upstreams/$upstreamId"
        params={{ upstreamId: id }}
        className="medium ellipsis"
        data-row-link
      >
        {visibleText(name)}
      </Link>
    ),
  },
  { text: 'Product', head: 'w-150', className: 'c-lead', cell: ({ provider }) => productWords[provider] },
  {
    text: 'Issuer',
    head: 'w-known',
    className: 'c-sub secondary',
    title: ({ issuer }) => issuer,
    cell: ({ issuer }) => visibleText(issuer),
  },
  {
    text: 'Domains',
    head: 'w-known',
    className: 'c-more secondary',
    title: ({ email_domains: domains }) => domains.join(', '),
    cell: ({ email_domains: domains }) => (domains.length === 0 ? 'Any verified address' : domains.join(', ')),
  },
  {
    text: 'Added',
    head: 'numeric w-seen',
    className: 'c-time numeric secondary',
    cell: ({ created_at: time }) => <RelativeTime time={time} />,
  },
]
