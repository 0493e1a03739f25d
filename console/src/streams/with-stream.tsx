import type { SsfStream } from '@muster/contract/ssf-streams.ts'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useMay } from '../api/session.ts'
import { RecordPage } from '../components/record-page.tsx'
import { streamQuery } from './stream-queries.ts'

export const streamsCrumb = { to: '/settings/developers/streams', text: 'Shared Signals' } as const

type Parts = { readonly id: string; readonly children: (stream: SsfStream) => ReactNode }

/** A page of a stream, or why there is none. */
export function WithStream({ id, children }: Parts) {
  const may = useMay('manage_ssf_streams')
  const stream = useQuery({ ...streamQuery(id), enabled: may })
  return (
    <RecordPage
      record={stream}
      nouns={['stream', 'streams']}
      id={id}
      crumb={streamsCrumb}
      {...(!may && { lacks: 'manage_ssf_streams' })}
      why="It may have been deleted."
    >
      {children}
    </RecordPage>
  )
}
