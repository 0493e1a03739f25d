import type { SsfStream } from '@muster/contract/ssf-streams.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { ApiError } from '../api/api-error.ts'
import { useMay } from '../api/session.ts'
import { MissingPermission } from '../components/missing-permission.tsx'
import { Emptiness, Failure, SkeletonRows } from '../components/notices.tsx'
import { Page } from '../shell/page.tsx'
import { streamQuery } from './stream-queries.ts'

export const streamsCrumb = { to: '/settings/developers/streams', text: 'Shared Signals' } as const

type Parts = { readonly id: string; readonly children: (stream: SsfStream) => ReactNode }

/** A page of a stream, or why there is none. */
export function WithStream({ id, children }: Parts) {
  const may = useMay('manage_ssf_streams')
  const stream = useQuery({ ...streamQuery(id), enabled: may })
  if (may && stream.data) return children(stream.data)
  const isMissing = stream.error instanceof ApiError && stream.error.status === 404
  return (
    <Page title="Stream" crumb={streamsCrumb}>
      <div className="page">
        {!may && <MissingPermission power="manage_ssf_streams" />}
        {isMissing && (
          <Emptiness title={`There is no stream ${id}.`}>
            It may have been deleted.{' '}
            <Link className="u" to="/settings/developers/streams">
              All streams
            </Link>
          </Emptiness>
        )}
        {stream.isError && !isMissing && (
          <Failure what="The stream could not be loaded." error={stream.error} onRetry={() => void stream.refetch()} />
        )}
        {may && stream.isPending && <SkeletonRows rows={4} />}
      </div>
    </Page>
  )
}
