import type { UseQueryResult } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { ApiError } from '../api/api-error.ts'
import { Emptiness, Failure, SkeletonRows } from '../components/notices.tsx'
import { visibleText } from '../components/visible-text.ts'
import { Page } from '../shell/page.tsx'

type Parts = {
  readonly group: UseQueryResult<{ readonly name: string }>
  readonly id: string
  readonly crumb: { readonly to: '/groups/devices' | '/groups/people'; readonly text: string }
  readonly count: number | undefined
  readonly one: string
  readonly many: string
  readonly note: string
  readonly actions: ReactNode
  readonly children: ReactNode
}

/** Head of a group, of devices or of people; its members stand below. */
export function GroupPage({ group, id, crumb, count, one, many, note, actions, children }: Parts) {
  if (group.data) {
    const name = visibleText(group.data.name)
    const size = count === undefined ? '' : count === 1 ? `1 ${one}` : `${count.toLocaleString('en')} ${many}`
    return (
      <Page title={name} crumb={crumb} hasOwnTitle actions={actions}>
        <div className="page log-head">
          <h1 tabIndex={-1} className="ell" title={name}>
            {name}
          </h1>
          <p className="t2">{[size, visibleText(note)].filter(Boolean).join(' · ')}</p>
        </div>
        {children}
      </Page>
    )
  }
  const isMissing = group.error instanceof ApiError && group.error.status === 404
  return (
    <Page title={isMissing ? 'No such group' : 'Group'} crumb={crumb}>
      <div className="page">
        {isMissing && (
          <Emptiness title={`There is no group ${id}.`}>
            <Link className="u" to={crumb.to}>
              All groups
            </Link>
          </Emptiness>
        )}
        {group.isError && !isMissing && (
          <Failure what="The group could not be loaded." error={group.error} onRetry={() => void group.refetch()} />
        )}
        {group.isPending && <SkeletonRows rows={4} />}
      </div>
    </Page>
  )
}
