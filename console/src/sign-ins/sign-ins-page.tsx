import { signInReasons } from '@muster/contract/sign-in-reasons.ts'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { countOf, csvAddressOf } from '../api/api.ts'
import { countQuery } from '../api/query.ts'
import { queryClient } from '../api/query-client.ts'
import { useKeptDays } from '../api/setting-facts.ts'
import { ListPage } from '../components/list-page.tsx'
import { onlyChip, optionsOf } from '../components/list-view.tsx'
import { Emptiness } from '../components/notices.tsx'
import { signInFiltersInWords } from './filters-in-words.ts'
import { readSignInFilters, signInFilterOf, signInViewsQuery, sinceWords, statusWords } from './sign-in-queries.ts'
import { SignInTable } from './sign-in-table.tsx'

const route = getRouteApi('/shell/sign-ins')

const chips = [
  { field: 'Result', name: 'result', options: optionsOf({ Success: 'Signed in', Fail: 'Failed' }) },
  { field: 'Device state', name: 'status', options: optionsOf(statusWords) },
  { field: 'Reason', name: 'reason', options: optionsOf(signInReasons) },
  { field: 'Within', name: 'since', options: optionsOf(sinceWords) },
]

export function SignInsPage() {
  const keptDays = useKeptDays('auth_logs')
  const filters = route.useSearch()
  const navigate = route.useNavigate()
  const filter = signInFilterOf(filters)
  const list = useQuery(signInViewsQuery(filter, filters.after))
  const count = useQuery(
    countQuery('listSignInViews', { query: filter }, { placeholderData: keepPreviousData, pace: 'usual' }),
  )
  return (
    <ListPage
      title="Sign-in log"
      name="Sign-ins"
      nouns={['sign-in', 'sign-ins']}
      views="sign_ins"
      file={csvAddressOf('listSignInViews', { query: filter })}
      countRows={() => countOf('listSignInViews', { query: filter })}
      list={list}
      isCounted
      count={count.data?.count}
      filters={filters}
      read={readSignInFilters}
      inWords={signInFiltersInWords}
      onShow={(search, isTyping = false) => void navigate({ search, replace: isTyping })}
      onNear={({ after }) => void queryClient.prefetchQuery(signInViewsQuery(filter, after))}
      searched="Person, device or address"
      chips={[
        ...chips,
        ...onlyChip('Connection', 'connection', filters.connection),
        ...onlyChip('Device', 'device', filters.device),
        ...onlyChip('Person', 'person', filters.person),
      ]}
      empty={
        <Emptiness title="No sign-ins yet." guide="auth-logs">
          Every attempt to sign in with a device appears here, with its steps, for {keptDays} days.
        </Emptiness>
      }
    >
      {(rows) => <SignInTable rows={rows} />}
    </ListPage>
  )
}
