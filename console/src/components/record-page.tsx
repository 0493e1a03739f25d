import type { AdminPower } from '@muster/contract/admin-powers.ts'
import type { UseQueryResult } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { ApiError } from '../api/api-error.ts'
import { MissingPermission } from './missing-permission.tsx'
import { Emptiness, LoadFailure, SkeletonRows } from './notices.tsx'
import { type Crumb, Page } from './page.tsx'

type NoticeParts = {
  readonly record: UseQueryResult<unknown>
  /** "live query": what it is called. */
  readonly noun: string
  readonly id: string
  /** Why there may be none, and where to look. */
  readonly why?: ReactNode
  /** Instead of that sentence; also of a record that is deleted while it is open. */
  readonly missing?: ReactNode
}

const isMissingIn = ({ error }: UseQueryResult<unknown>) => error instanceof ApiError && error.status === 404

/** Why a record is not shown: it is being read, could not be read, or there is none. */
export function RecordNotices({ record, noun, id, why, missing }: NoticeParts) {
  if (isMissingIn(record) && (record.data === undefined || missing !== undefined)) {
    return missing ?? <Emptiness title={`There is no ${noun} ${id}.`}>{why}</Emptiness>
  }
  return (
    <>
      <LoadFailure what={`The ${noun}`} query={record} />
      {record.isPending && <SkeletonRows rows={4} />}
    </>
  )
}

type Parts<Data> = Omit<NoticeParts, 'record' | 'noun'> & {
  readonly record: UseQueryResult<Data>
  /** "live query", "live queries". */
  readonly nouns: readonly [one: string, many: string]
  readonly crumb: Crumb
  /** What the administrator lacks, instead of the record. */
  readonly lacks?: AdminPower | undefined
  /** The whole page. */
  readonly children: (data: Data) => ReactNode
}

/** The page of one record, or why it is not shown. */
export function RecordPage<Data>({ record, nouns: [noun, many], crumb, lacks, why, children, ...parts }: Parts<Data>) {
  const isMissing = isMissingIn(record)
  const isGone = isMissing && parts.missing !== undefined
  if (lacks === undefined && record.data !== undefined && !isGone) return children(record.data)
  return (
    <Page title={isMissing ? `No such ${noun}` : `${noun.slice(0, 1).toUpperCase()}${noun.slice(1)}`} crumb={crumb}>
      <div className="page">
        {lacks === undefined ? (
          <RecordNotices
            record={record}
            noun={noun}
            {...parts}
            why={
              <>
                {why}{' '}
                <Link className="underlined" to={crumb.to}>
                  All {many}
                </Link>
              </>
            }
          />
        ) : (
          <MissingPermission power={lacks} />
        )}
      </div>
    </Page>
  )
}
